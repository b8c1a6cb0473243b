"""The answer where no address is: the API's one form, and the page for everybody else.

Who shows no valid token is told that, and not which addresses with a slash there are. Without the
slash the answer is the same for everybody: 404, or for what reads the way to an address that there
is. Which addresses there are is no secret: the API's description names them.
"""

from typing import Any

from django.http import HttpRequest, HttpResponseBase
from django.views.defaults import page_not_found
from rest_framework.exceptions import NotFound
from rest_framework.permissions import AllowAny
from rest_framework.request import Request
from rest_framework.views import APIView

from dpgov.operation.middleware import is_api

_NOTHING = "There is nothing at this address. Addresses of the API end with a slash."


class NowhereView(APIView):
    """Counted and opened like every door of the API, with nothing behind it."""

    def initial(self, request: Request, *args: Any, **kwargs: Any) -> None:
        """Raises NotFound, whatever the method, once it is known who asks."""
        super().initial(request, *args, **kwargs)
        raise NotFound(_NOTHING)


_nowhere = NowhereView.as_view()
# It is the address with the slash that knows who may come, and some are for everybody.
_without_slash = NowhereView.as_view(authentication_classes=(), permission_classes=(AllowAny,))


def not_found(request: HttpRequest, exception: Exception) -> HttpResponseBase:
    """Django's `handler404`."""
    if not is_api(request):
        return page_not_found(request, exception)
    return (_nowhere if request.path_info.endswith("/") else _without_slash)(request)
