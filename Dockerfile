FROM python:3.11-slim AS build
WORKDIR /app
COPY requirements.lock ./
RUN python -m venv /venv && /venv/bin/pip install --no-cache-dir --require-hashes -r requirements.lock
COPY pyproject.toml LICENSE README.md ./
COPY bot bot
COPY checks checks
COPY prompts prompts

FROM python:3.11-slim
RUN apt-get update && apt-get install -y --no-install-recommends git && rm -rf /var/lib/apt/lists/* \
 && useradd --system --create-home --home-dir /data referee
COPY --from=build /venv /venv
COPY --from=build /app /app
WORKDIR /app
USER referee
ENV REFEREE_DATA_DIR=/data REFEREE_HOST=0.0.0.0 REFEREE_PORT=8080 PYTHONUNBUFFERED=1
VOLUME /data
EXPOSE 8080
HEALTHCHECK --interval=30s --timeout=5s CMD ["/venv/bin/python", "-c", "import urllib.request as u; u.urlopen('http://127.0.0.1:8080/healthz', timeout=4)"]
ENTRYPOINT ["/venv/bin/python", "-m", "bot"]
CMD ["serve"]
