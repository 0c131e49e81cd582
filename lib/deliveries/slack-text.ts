import { type EventName, type EventPayload, pingEvent } from '../contracts/fields/events.ts';

/** Names of keys in one sentence. All of them may take up 2 MB. */
const namedKeys = 10;

/** An `@` outside an address, a word that mentions everybody in a chat, and a link whose text is not its address. */
const markup = /(?<![\p{L}\p{N}])@|@(?=all|channel|everyone|here)|\](?=\()/giu;

/**
 * Slack reads `<…>` as a link or a mention, such as `<!channel>`, and needs these three characters to be escaped.
 * Mattermost and Discord accept the same body, but have mark-up of their own, which an invisible character ends.
 */
function escaped(text: string): string {
  const withoutMarkup = text.replaceAll(markup, '$&\u200B');
  return withoutMarkup.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}

function listed(keys: readonly string[]): string {
  const count = keys.length === 1 ? '1 secret' : `${keys.length} secrets`;
  if (keys.length === 0) return 'secrets';
  const more = keys.length - namedKeys;
  return `${count} (${keys.slice(0, namedKeys).join(', ')}${more > 0 ? ` and ${more} more` : ''})`;
}

type Wording = (facts: { key: string; secrets: string; place: string; from: string }) => string;

const wordings: Readonly<Record<EventName, Wording>> = {
  'secret.created': ({ key, place }) => `created ${key} in ${place}`,
  'secret.updated': ({ key, place }) => `changed ${key} in ${place}`,
  'secret.deleted': ({ key, place }) => `deleted ${key} in ${place}`,
  'secret.promoted': ({ secrets, place, from }) => `promoted ${secrets} from ${from} to ${place}`,
  'secret.bulk_set': ({ secrets, place }) => `set ${secrets} in ${place}`,
  'secret.bulk_delete': ({ secrets, place }) => `deleted ${secrets} in ${place}`,
};

/** An event as one sentence of Slack's markup, of a bounded length. It holds names only, like the event. Pure. */
export function slackText({ event, actor, project, environment, key, metadata }: EventPayload): string {
  if (event === pingEvent) return escaped(`${actor.email} sent this test message from Holdfast.`);
  const { keys = [], from, message, proposal } = metadata;
  const place = `${project.slug}/${environment.slug}`;
  const facts = { key, secrets: listed(keys), place, from: from?.slug ?? 'another environment' };
  const proposed = proposal === undefined ? '' : `, as ${proposal.author.email} proposed`;
  const reason = message === undefined ? '' : `: “${message}”`;
  return escaped(`${actor.email} ${wordings[event](facts)}${proposed}${reason}${reason === '' ? '.' : ''}`);
}
