"""How the REST API reads, refuses and describes itself: nothing of it differs by installation."""

from typing import Any

REST_FRAMEWORK: dict[str, Any] = {
    "DEFAULT_AUTHENTICATION_CLASSES": ["dpgov.tenants.rest.authentication.TokenAuthentication"],
    "DEFAULT_PERMISSION_CLASSES": ["dpgov.tenants.permissions.HasMembership"],
    "DEFAULT_THROTTLE_CLASSES": ["dpgov.tenants.rates.RateThrottle"],
    "DEFAULT_PARSER_CLASSES": ["dpgov.queries.rest.parser.ExactJSONParser"],
    "DEFAULT_RENDERER_CLASSES": ["rest_framework.renderers.JSONRenderer"],
    "DEFAULT_PAGINATION_CLASS": "dpgov.operation.paging.SomeOfMany",
    "PAGE_SIZE": 50,
    "DEFAULT_SCHEMA_CLASS": "drf_standardized_errors.openapi.AutoSchema",
    "EXCEPTION_HANDLER": "drf_standardized_errors.handler.exception_handler",
    "DEFAULT_VERSIONING_CLASS": "rest_framework.versioning.NamespaceVersioning",
    "ALLOWED_VERSIONS": ["v1"],
    "DEFAULT_VERSION": "v1",
}
# Refusals have codes of our own, at paths within the body: one description for all of them.
_REFUSAL = "dpgov.queries.rest.shapes.question.RefusalSerializer"
DRF_STANDARDIZED_ERRORS: dict[str, Any] = {
    "EXCEPTION_HANDLER_CLASS": "dpgov.operation.outage.OutageHandler",
    "ALLOWED_ERROR_STATUS_CODES": [
        "400",
        "401",
        "403",
        "404",
        "405",
        "406",
        "411",
        "413",
        "415",
        "429",
    ],
    "ERROR_SCHEMAS": {"400": _REFUSAL, "404": _REFUSAL, "411": _REFUSAL, "413": _REFUSAL},
}
SPECTACULAR_SETTINGS: dict[str, Any] = {
    "TITLE": "dpgov API",
    "DESCRIPTION": "Ask questions of governed datasets under a differential-privacy budget.",
    "VERSION": "1.0.0",
    "SERVE_INCLUDE_SCHEMA": False,
    "SERVE_PERMISSIONS": ["rest_framework.permissions.AllowAny"],
    "SWAGGER_UI_DIST": "SIDECAR",
    "SWAGGER_UI_FAVICON_HREF": "SIDECAR",
    "POSTPROCESSING_HOOKS": ["drf_standardized_errors.openapi_hooks.postprocess_schema_enums"],
    "ENUM_NAME_OVERRIDES": {
        name: f"drf_standardized_errors.openapi_serializers.{name}.choices"
        for name in (
            "ValidationErrorEnum",
            "ClientErrorEnum",
            "ServerErrorEnum",
            "ParseErrorCodeEnum",
            *(f"ErrorCode{n}Enum" for n in (401, 403, 404, 405, 406, 415, 429, 500)),
        )
    },
}
