/** CloudFormation's response about a stack: these outputs and this state, or that there is no such stack. */
export function describedStack(
  name: string,
  outputs: Record<string, string> | undefined,
  state: Record<string, string> = {},
): [number, string] {
  if (outputs === undefined) return [400, refusedCall('ValidationError', `Stack with id ${name} does not exist`)];
  const described = {
    StackName: name,
    CreationTime: '2026-11-22T00:00:00Z',
    StackStatus: 'UPDATE_COMPLETE',
    ...state,
  };
  const members = Object.entries(outputs).map(([OutputKey, value]) =>
    xml({ member: xml({ OutputKey, OutputValue: value.replaceAll('"', '&quot;') }) }),
  );
  const Stacks = xml({ member: xml({ ...described, Outputs: members.join('') }) });
  return [200, xml({ DescribeStacksResponse: xml({ DescribeStacksResult: xml({ Stacks }) }) })];
}

/** CloudFormation's response about the resources of a stack. */
export function listedResources(resources: readonly Record<string, string>[]): [number, string] {
  const StackResourceSummaries = resources.map(resource => xml({ member: xml(resource) })).join('');
  return [200, xml({ ListStackResourcesResponse: xml({ ListStackResourcesResult: xml({ StackResourceSummaries }) }) })];
}

/** The body of an error response. */
export const refusedCall = (Code: string, Message: string) =>
  xml({ ErrorResponse: xml({ Error: xml({ Type: 'Sender', Code, Message }), RequestId: '1' }) });

/** One element for each member. */
export const xml = (elements: Record<string, string>) =>
  Object.entries(elements)
    .map(([name, content]) => `<${name}>${content}</${name}>`)
    .join('');
