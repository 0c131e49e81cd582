/*
 * A CloudFront function (runtime 2.0) for requests to the dashboard. Every path without a file extension serves the
 * page, which then shows the right screen. A custom error page could do that too, but it would also turn the API's 404s
 * into HTML.
 */
// biome-ignore lint/correctness/noUnusedVariables: CloudFront calls it
function handler(event) {
  const request = event.request;
  const name = request.uri.slice(request.uri.lastIndexOf('/') + 1);
  if (!name.includes('.')) request.uri = '/index.html';
  return request;
}
