/*
 * A CloudFront function (runtime 2.0) on requests for the API. It tells the viewer's address, which the API otherwise
 * does not see, and replaces a header of that name that a viewer sent.
 */
// biome-ignore lint/correctness/noUnusedVariables: CloudFront calls it
function handler(event) {
  const request = event.request;
  request.headers['x-viewer-address'] = { value: event.viewer.ip };
  return request;
}
