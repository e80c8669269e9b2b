// The reference of the document beside this page. Credentials stay in the memory of the
// tab, and requests leave out those of the browser.
"use strict";

SwaggerUIBundle({
  url: "openapi.json",
  dom_id: "#reference",
  deepLinking: true,
  docExpansion: "none",
  filter: true,
  defaultModelsExpandDepth: 0,
  defaultModelExpandDepth: 2,
  displayRequestDuration: true,
  showCommonExtensions: true,
  tryItOutEnabled: true,
  persistAuthorization: false,
  validatorUrl: null,
  requestInterceptor(request) {
    request.credentials = "omit";
    return request;
  },
});
