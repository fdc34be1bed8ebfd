"""Django REST Framework in one file, from stock classes only: ModelSerializer, ModelViewSet, DefaultRouter.

The router adds format suffixes (/api/users.json, /api/users/1.json) to the addresses with a slash
(/api/users/, /api/users/1/). Filters are django-filter's, paging is limit and offset.

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
    DEFAULT_AUTO_FIELD="django.db.models.BigAutoField",
    REST_FRAMEWORK={
        "DEFAULT_PAGINATION_CLASS": "rest_framework.pagination.LimitOffsetPagination",
        "PAGE_SIZE": 25,
        "DEFAULT_FILTER_BACKENDS": [
            "django_filters.rest_framework.DjangoFilterBackend",
            "rest_framework.filters.OrderingFilter",
        ],
        "DEFAULT_AUTHENTICATION_CLASSES": [],
        "DEFAULT_PERMISSION_CLASSES": ["rest_framework.permissions.AllowAny"],
        "DEFAULT_RENDERER_CLASSES": ["rest_framework.renderers.JSONRenderer"],
    },
)
django.setup()

from django.core.servers.basehttp import ThreadedWSGIServer, WSGIRequestHandler  # noqa: E402
from django.core.wsgi import get_wsgi_application  # noqa: E402
from django.db import connection, models  # noqa: E402
from django.urls import include, path  # noqa: E402
from rest_framework import routers, serializers, viewsets  # noqa: E402


class Team(models.Model):
    name = models.CharField(max_length=40, unique=True)

    class Meta:
        app_label = "app"


class User(models.Model):
    name = models.CharField(max_length=60)
    email = models.EmailField(unique=True)
    age = models.IntegerField(null=True, blank=True)
    team = models.ForeignKey(Team, null=True, blank=True, on_delete=models.PROTECT)
    created = models.DateTimeField(auto_now_add=True)

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
    filterset_fields = {"team": ["exact"], "age": ["exact", "gte", "lte"], "name": ["exact", "icontains"]}
    ordering_fields = ["id", "name", "email", "age", "team"]


router = routers.DefaultRouter()
router.register("users", UserViewSet, basename="user")
router.register("teams", TeamViewSet, basename="team")
urlpatterns = [path("api/", include(router.urls))]


def seed():
    with connection.schema_editor() as editor:
        editor.create_model(Team)
        editor.create_model(User)
    rows = json.loads((FOLDER / "seed.json").read_text(encoding="utf-8"))
    Team.objects.bulk_create(Team(**row) for row in rows["teams"])
    User.objects.bulk_create(User(team_id=row.pop("team"), **row) for row in rows["users"])
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
