"""Pages of joint questions."""

from django.urls import path

from dpgov.joint.web import pages

app_name = "joint"
_ONE = "joint/<uuid:joint_id>/"
urlpatterns = [
    path("joint/", pages.index, name="list"),
    path("joint/new/", pages.new, name="new"),
    path("joint/code/", pages.code, name="code"),
    path(_ONE, pages.detail, name="detail"),
    path(f"{_ONE}join/", pages.join, name="join"),
    path(f"{_ONE}leave/", pages.leave_it, name="leave"),
]
