import { cancelled, exitCodes, Failure } from './failure.ts';
import { decode } from './standard-input.ts';

/*
 * Reads keys and pastes in raw mode. In its usual mode, a terminal hands over a paste line by line, and the shell would
 * get the lines after the first. Bytes are kept as Latin-1, one character a byte, until the input is complete.
 */

/** What follows a line break within this time was pasted with it: nobody types that fast. */
export const sameBurstMs = 200;

// Bracketed paste: the terminal marks both ends of each paste.
const pasteModeOn = '\u001b[?2004h';
const pasteModeOff = '\u001b[?2004l';
const pasteBegins = '\u001b[200~';
const pasteEnds = '\u001b[201~';

/** All but tabs, line breaks, and the bytes of other characters. */
const control = /[^\P{Cc}\t\n\r\u0080-\u009f]/u;
const lastCharacter = /(?:\r\n|[^\u0080-\u00bf][\u0080-\u00bf]*)$/;

export interface HiddenInput {
  /** What was typed and pasted, with line breaks as they came. */
  text: string;
  isInPaste: boolean;
  /** Whether the terminal marks pastes, so that a line break outside of the marks is the Enter key. */
  marksPastes: boolean;
  /** The first part of a mark whose other part has not arrived. */
  partOfMark: string;
}

/** `ends` unless more arrives at once. */
type State = 'continues' | 'ends' | 'entered' | 'interrupted' | 'cancelled' | 'garbled';

/** @throws Failure if the input was cancelled or can't be taken as it is */
export async function readHidden(question: string): Promise<string> {
  const { stdin, stderr } = process;
  stdin.setRawMode(true);
  // The prompt only appears once echo is off.
  stderr.write(`${pasteModeOn}${question}`);
  const input: HiddenInput = { text: '', isInPaste: false, marksPastes: false, partOfMark: '' };
  const state = await new Promise<State>(resolve => takeAll(input, resolve));
  stdin.pause();
  stdin.setRawMode(false);
  stderr.write(`${pasteModeOff}\n`);
  if (state === 'interrupted') process.kill(process.pid, 'SIGINT');
  if (state === 'interrupted' || state === 'cancelled') throw cancelled();
  if (state === 'garbled') {
    throw new Failure(exitCodes.other, 'not_pasted', 'The paste has control characters and was ignored.', {
      hint: 'Use a pipe or a file instead.',
    });
  }
  return decode(Buffer.from(typedText(input.text), 'latin1'), 'The input');
}

function takeAll(input: HiddenInput, resolve: (state: State) => void): void {
  const { stdin } = process;
  let timer: NodeJS.Timeout | undefined;
  let isQuiet = true;
  let state: State = 'continues';
  const end = (last: State) => {
    clearTimeout(timer);
    stdin.off('data', take).off('end', hangUp);
    resolve(last);
  };
  const hangUp = () => end('cancelled');
  const take = (chunk: Buffer) => {
    clearTimeout(timer);
    // The rest of a paste that is refused must not go to the shell.
    if (state !== 'garbled') state = takeChunk(input, chunk.toString('latin1'), isQuiet);
    if (state === 'entered' || state === 'interrupted' || state === 'cancelled') {
      end(state);
      return;
    }
    isQuiet = false;
    timer = setTimeout(() => {
      isQuiet = true;
      if (state !== 'continues') end(state);
    }, sameBurstMs);
  };
  // A prompt before this one has paused it.
  stdin.on('data', take).on('end', hangUp).resume();
}

/** Terminals send a line break as CR. The final one of a single line is the Enter key, or was copied with the line. */
export function typedText(text: string): string {
  const lines = text.replace(/\r(?!\n)/g, '\n');
  return /^[^\n]*\n$/.test(lines) ? lines.replace(/\r?\n$/, '') : lines;
}

/**
 * Adds what arrived to the input.
 * @param isQuiet whether nothing arrived shortly before
 */
export function takeChunk(input: HiddenInput, chunk: string, isQuiet: boolean): State {
  if (isQuiet && chunk === '\u0003') return 'interrupted';
  // After a pause, an Escape was the key and not the begin of a mark.
  let left = (isQuiet && input.partOfMark.length === 1 ? '' : input.partOfMark) + chunk;
  if (isQuiet && !input.isInPaste && /^(?:\r\n?|\n)$/.test(left)) return 'entered';
  for (;;) {
    const mark = input.isInPaste ? pasteEnds : pasteBegins;
    const at = left.indexOf(mark);
    input.partOfMark = at === -1 ? beginOf(mark, left) : '';
    const part = left.slice(0, at === -1 ? left.length - input.partOfMark.length : at);
    const state = input.isInPaste ? takePasted(input, part) : takeTyped(input, part);
    if (at === -1 || state === 'entered' || state === 'interrupted' || state === 'cancelled' || state === 'garbled') {
      return state;
    }
    left = left.slice(at + mark.length);
    input.isInPaste = !input.isInPaste;
    input.marksPastes = true;
  }
}

/** The longest end of the text with which the mark begins. */
function beginOf(mark: string, text: string): string {
  const lengths = Array.from(mark, (_, index) => mark.length - 1 - index);
  return mark.slice(0, lengths.find(length => text.endsWith(mark.slice(0, length))) ?? 0);
}

function takePasted(input: HiddenInput, text: string): State {
  input.text += text;
  return 'continues';
}

/** Keys, or a paste without marks. */
function takeTyped(input: HiddenInput, typed: string): State {
  if (isOtherKey(typed)) return 'continues';
  for (const [index, character] of [...typed].entries()) {
    if (character === '\u0003') return 'interrupted';
    if (character === '\u0004' && index === typed.length - 1) return input.text === '' ? 'cancelled' : 'entered';
    if (input.marksPastes && /[\r\n]/.test(character)) return 'entered';
    if (character === '\u0008' || character === '\u007f') input.text = input.text.replace(lastCharacter, '');
    else if (character === '\u0015') input.text = '';
    else if (control.test(character)) return 'garbled';
    else input.text += character;
  }
  return /[\r\n]$/.test(typed) ? 'ends' : 'continues';
}

/** A key without a meaning here, such as an arrow. */
function isOtherKey(typed: string): boolean {
  if (typed.startsWith('\u001b')) return /^.(?:[[O][\d;]*[ -/]*[@-~]|[^[O])?$/s.test(typed);
  return typed.length === 1 && control.test(typed) && !'\u0003\u0004\u0008\u0015\u007f'.includes(typed);
}
