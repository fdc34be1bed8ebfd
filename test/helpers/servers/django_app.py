"""Django REST Framework in one file, from stock classes only: ModelSerializer, ModelViewSet, DefaultRouter.

The router adds format suffixes (/api/users.json, /api/users/1.json) to the addresses with a slash
(/api/users/, /api/users/1/). Filters are django-filter's. The same users are at several addresses: api/users with
limit and offset, api/numbered with page numbers, api/cursors with cursors, api/forms behind CSRF protection, and
api/signed behind JSON Web Tokens of djangorestframework-simplejwt.

python3 django_app.py FOLDER, where FOLDER holds seed.json; prints "listening on PORT".
"""
import json
import os
import sys
import threading
from pathlib import Path

import django
from django.conf import settings

FOLDER = Path(sys.argv[1])

settings.configure(
    DEBUG=False,
    SECRET_KEY="for tests only",
    ALLOWED_HOSTS=["127.0.0.1"],
    ROOT_URLCONF=__name__,
    USE_TZ=True,
    TIME_ZONE="UTC",
    APPEND_SLASH=True,
    DATABASES={
        "default": {
            "ENGINE": "django.db.backends.sqlite3",
            "NAME": str(FOLDER / "db.sqlite3"),
            "OPTIONS": {"timeout": 30},  # writers that run in parallel wait for each other
        }
    },
    INSTALLED_APPS=["django.contrib.contenttypes", "django.contrib.auth", "rest_framework", "django_filters"],
    MIDDLEWARE=["django.middleware.common.CommonMiddleware", "django.middleware.http.ConditionalGetMiddleware"],
    MEDIA_ROOT=str(FOLDER / "media"),
    MEDIA_URL="/media/",
    DEFAULT_AUTO_FIELD="django.db.models.BigAutoField",
    REST_FRAMEWORK={
        "DEFAULT_PAGINATION_CLASS": "rest_framework.pagination.LimitOffsetPagination",
        "PAGE_SIZE": 25,
        "DEFAULT_FILTER_BACKENDS": [
            "django_filters.rest_framework.DjangoFilterBackend",
            "rest_framework.filters.OrderingFilter",
            "rest_framework.filters.SearchFilter",
        ],
        "DEFAULT_AUTHENTICATION_CLASSES": [],
        "DEFAULT_PERMISSION_CLASSES": ["rest_framework.permissions.AllowAny"],
        "DEFAULT_RENDERER_CLASSES": ["rest_framework.renderers.JSONRenderer"],
    },
)
django.setup()

from django.core.servers.basehttp import ThreadedWSGIServer, WSGIRequestHandler  # noqa: E402
from django.core.wsgi import get_wsgi_application  # noqa: E402
from django.contrib.auth import models as auth  # noqa: E402
from django.contrib.contenttypes.models import ContentType  # noqa: E402
from django.db import connection, models  # noqa: E402
from django.http import HttpResponse  # noqa: E402
from django.urls import include, path  # noqa: E402
from django.views.decorators.csrf import ensure_csrf_cookie  # noqa: E402
from django.views.static import serve  # noqa: E402
from rest_framework import authentication, pagination, permissions, routers, serializers, viewsets  # noqa: E402
from rest_framework_simplejwt.authentication import JWTAuthentication  # noqa: E402
from rest_framework_simplejwt.views import TokenObtainPairView, TokenRefreshView  # noqa: E402


class Team(models.Model):
    name = models.CharField(max_length=40, unique=True)

    class Meta:
        app_label = "app"


class User(models.Model):
    name = models.CharField(max_length=60)
    email = models.EmailField(unique=True)
    age = models.IntegerField(null=True, blank=True)
    team = models.ForeignKey(Team, null=True, blank=True, on_delete=models.PROTECT)
    serial = models.BigIntegerField(null=True, blank=True)
    created = models.DateTimeField(auto_now_add=True)

    class Meta:
        app_label = "app"
        ordering = ["id"]


class Label(models.Model):
    id = models.CharField(max_length=40, primary_key=True)
    name = models.CharField(max_length=60)

    class Meta:
        app_label = "app"
        ordering = ["id"]


class Document(models.Model):
    name = models.CharField(max_length=60)
    content = models.FileField()

    class Meta:
        app_label = "app"
        ordering = ["id"]


class TeamSerializer(serializers.ModelSerializer):
    class Meta:
        model = Team
        fields = "__all__"


class UserSerializer(serializers.ModelSerializer):
    class Meta:
        model = User
        fields = "__all__"


class TeamViewSet(viewsets.ModelViewSet):
    queryset = Team.objects.order_by("id")
    serializer_class = TeamSerializer


class UserViewSet(viewsets.ModelViewSet):
    queryset = User.objects.all()
    serializer_class = UserSerializer
    filterset_fields = {
        "team": ["exact", "in"],
        "age": ["exact", "gte", "lte", "gt", "lt", "in", "range", "isnull"],
        "name": ["exact", "in", "icontains", "startswith", "endswith"],
    }
    ordering_fields = ["id", "name", "email", "age", "team"]
    search_fields = ["name", "email"]


class Pages(pagination.PageNumberPagination):
    page_size = 25
    page_size_query_param = "page_size"
    max_page_size = 60


class Cursors(pagination.CursorPagination):
    page_size = 25
    page_size_query_param = "page_size"
    ordering = "id"


class NumberedUserViewSet(UserViewSet):
    pagination_class = Pages


class CursorUserViewSet(UserViewSet):
    pagination_class = Cursors
    ordering = ["id"]  # CursorPagination asks the OrderingFilter, which needs a default


class CsrfChecked(authentication.SessionAuthentication):
    """Checks the token of every request that writes, as for a user with a session."""

    def authenticate(self, request):
        self.enforce_csrf(request)


class FormUserViewSet(UserViewSet):
    authentication_classes = [CsrfChecked]


class SignedUserViewSet(UserViewSet):
    authentication_classes = [JWTAuthentication]
    permission_classes = [permissions.IsAuthenticated]


class LabelSerializer(serializers.ModelSerializer):
    class Meta:
        model = Label
        fields = "__all__"


class LabelViewSet(viewsets.ModelViewSet):
    queryset = Label.objects.all()
    serializer_class = LabelSerializer
    lookup_value_regex = ".+"


class DocumentSerializer(serializers.ModelSerializer):
    class Meta:
        model = Document
        fields = "__all__"


class DocumentViewSet(viewsets.ModelViewSet):
    queryset = Document.objects.all()
    serializer_class = DocumentSerializer


router = routers.DefaultRouter()
router.register("users", UserViewSet, basename="user")
router.register("numbered", NumberedUserViewSet, basename="numbered")
router.register("cursors", CursorUserViewSet, basename="cursor")
router.register("forms", FormUserViewSet, basename="form")
router.register("signed", SignedUserViewSet, basename="signed")
router.register("documents", DocumentViewSet, basename="document")
router.register("teams", TeamViewSet, basename="team")
labels = routers.SimpleRouter()  # knows no format suffixes, so that an id may end in one
labels.register("labels", LabelViewSet, basename="label")
urlpatterns = [
    path("api/", include(router.urls)),
    path("api/", include(labels.urls)),
    path("form/", ensure_csrf_cookie(lambda request: HttpResponse("a page with a form"))),
    path("token/", TokenObtainPairView.as_view()),
    path("token/refresh/", TokenRefreshView.as_view()),
    path("media/<path:path>", serve, {"document_root": settings.MEDIA_ROOT}),
]


def seed():
    with connection.schema_editor() as editor:
        for model in [ContentType, auth.Permission, auth.Group, auth.User, Team, User, Label, Document]:
            editor.create_model(model)
    rows = json.loads((FOLDER / "seed.json").read_text(encoding="utf-8"))
    Team.objects.bulk_create(Team(**row) for row in rows["teams"])
    User.objects.bulk_create(User(team_id=row.pop("team"), **row) for row in rows["users"])
    auth.User.objects.create_user("ada", password="for tests only")
    connection.close()


def end_with_the_test_run():
    sys.stdin.read()  # comes back when the test run closes the pipe, also by being killed
    os._exit(0)


if __name__ == "__main__":
    seed()
    threading.Thread(target=end_with_the_test_run, daemon=True).start()
    server = ThreadedWSGIServer(("127.0.0.1", 0), WSGIRequestHandler)
    server.set_app(get_wsgi_application())
    print(f"listening on {server.server_port}", flush=True)
    server.serve_forever()
