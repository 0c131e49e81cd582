/*
 * A CloudFront function (runtime 2.0) on requests for the dashboard. Every path without an ending is the page, which
 * finds its screen by itself. An error page could do that too, but it would also turn the API's 404 into HTML.
 */
// biome-ignore lint/correctness/noUnusedVariables: CloudFront calls it
function handler(event) {
  const request = event.request;
  const name = request.uri.slice(request.uri.lastIndexOf('/') + 1);
  if (!name.includes('.')) request.uri = '/index.html';
  return request;
}
