"""The API's description, made once in each process: it takes a second, and is open to everybody."""

from functools import cache
from typing import Any

from django.http import HttpResponse
from drf_spectacular.utils import extend_schema
from drf_spectacular.views import SpectacularAPIView
from rest_framework.request import Request


class SchemaView(SpectacularAPIView):
    """As the library's, in the one language of the API."""

    @extend_schema(exclude=True)
    def get(self, request: Request, *args: Any, **kwargs: Any) -> HttpResponse:
        """The same bytes for everybody who asks for the same media type."""
        media_type = request.accepted_renderer.media_type
        body = _described(media_type, self.api_version or "")
        return HttpResponse(body, content_type=media_type)


@cache
def _described(media_type: str, version: str) -> bytes:
    generator = SpectacularAPIView.generator_class(api_version=version)
    schema = generator.get_schema(request=None, public=True)
    types = {one.media_type: one for one in SpectacularAPIView.renderer_classes}
    text = types[media_type]().render(schema, renderer_context={})
    return text.encode() if isinstance(text, str) else text
