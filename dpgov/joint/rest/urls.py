"""Addresses of joint questions in the API."""

from django.urls import path

from dpgov.joint.rest import joint

_ONE = "joint/<uuid:joint_id>/"
urlpatterns = [
    path("joint/", joint.JointListView.as_view(), name="joint-list"),
    path("joint/new/", joint.ProposeView.as_view(), name="joint-new"),
    path("joint/code/", joint.CodeView.as_view(), name="joint-code"),
    path("joint/code/join/", joint.JoinByCodeView.as_view(), name="joint-code-join"),
    path(_ONE, joint.JointView.as_view(), name="joint-detail"),
    path(f"{_ONE}join/", joint.JoinView.as_view(), name="joint-join"),
    path(f"{_ONE}leave/", joint.LeaveView.as_view(), name="joint-leave"),
]
