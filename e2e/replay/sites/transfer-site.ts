// How answers come: codings, redirects, errors, ranges, and types that are wrong or missing.

import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync, zstdCompressSync } from 'node:zlib'
import { html, picture, ranged, redirect, script, sound, svg, tiles } from '../files.ts'
import type { Answer, Answers, OriginOf } from '../origin-web.ts'
import { scriptTiles, tilePage } from '../tile-page.ts'

export const transferPages = [
  'museum/transfer/codings',
  'museum/transfer/gzip-page',
  'museum/transfer/redirects',
  'museum/transfer/moved-page',
  'museum/transfer/refresh',
  'museum/transfer/refresh-header',
  'museum/transfer/script-redirect',
  'museum/transfer/errors',
  'museum/transfer/gone-page',
  'museum/transfer/media',
]

const codings: Record<string, (bytes: Uint8Array) => Uint8Array> = {
  gzip: gzipSync,
  br: brotliCompressSync,
  deflate: deflateSync,
  'deflate-raw': deflateRawSync,
  zstd: zstdCompressSync,
}

function coded(answer: Answer, name: string): Answer {
  const body = codings[name]!(Buffer.from(answer.body ?? ''))
  return { ...answer, headers: { ...answer.headers, 'Content-Encoding': name.replace('-raw', '') }, body }
}

export function transferSite(origin: OriginOf): Answers {
  return { ...coding(), ...redirecting(origin), ...failing(), ...media(), ...files() }
}

/** What browsers show in no frame, and what was sent to be downloaded. */
export const filePlaces = { pdf: 'museum/transfer/report.pdf', list: 'museum/transfer/list.csv' }

function files(): Answers {
  return {
    [filePlaces.pdf]: { headers: { 'Content-Type': 'application/pdf' }, body: '%PDF-1.4 report' },
    [filePlaces.list]: {
      headers: { 'Content-Type': 'text/csv', 'Content-Disposition': 'attachment; filename="list.csv"' },
      body: 'one,two',
    },
  }
}

function coding(): Answers {
  const names = Object.keys(codings)
  const files = names.flatMap((name) => [
    [`museum/transfer/${name}.js`, coded(script(`self.coding_${name.replace('-', '_')} = true`), name)],
    [
      `museum/transfer/${name}.css`,
      coded(
        {
          headers: { 'Content-Type': 'text/css' },
          body: `#css-${name} { background: url(/colour/111.png) }`,
        },
        name,
      ),
    ],
    [`museum/transfer/${name}.png`, coded(picture('#507090'), name)],
    [
      `museum/transfer/${name}.svg`,
      coded(
        svg(
          '<svg xmlns="http://www.w3.org/2000/svg" width="46" height="46"><rect width="46" height="46" fill="#905070"/></svg>',
        ),
        name,
      ),
    ],
  ])
  const page = tilePage({
    title: 'Codings',
    head: names
      .map((name) => `<link rel="stylesheet" href="${name}.css"><script src="${name}.js"></script>`)
      .join(''),
    tiles: {
      ...scriptTiles(...names.map((name) => `js-${name}`), ...names.map((name) => `css-${name}`)),
      ...Object.fromEntries(names.map((name) => [`image-${name}`, `<img src="${name}.png" alt="">`])),
      ...Object.fromEntries(names.map((name) => [`svg-${name}`, `<img src="${name}.svg" alt="">`])),
    },
    script: names
      .map((name) => `tile('js-${name}', function () { return self.coding_${name.replace('-', '_')} })`)
      .join('\n'),
  })
  return {
    ...Object.fromEntries(files),
    'museum/transfer/codings': coded(html(page), 'br'),
    'museum/transfer/gzip-page': coded(html(page), 'gzip'),
  }
}

function redirecting(origin: OriginOf): Answers {
  const cdn = origin('cdn')
  const kinds = [301, 302, 303, 307, 308]
  return {
    'museum/transfer/redirects': tiles({
      title: 'Redirects',
      tiles: {
        ...Object.fromEntries(kinds.map((kind) => [`moved-${kind}`, `<img src="moved-${kind}" alt="">`])),
        chain: '<img src="/transfer/chain-1" alt="">',
        abroad: '<img src="/transfer/abroad" alt="">',
        'moved-frame': '<iframe src="/transfer/moved-frame" scrolling="no"></iframe>',
        ...scriptTiles('moved-script', 'moved-fetch', 'moved-style'),
      },
      head: '<script src="moved-script"></script><link rel="stylesheet" href="moved-style">',
      script: `
        tile('moved-script', function () { return self.fromMoved })
        tile('moved-fetch', function () {
          return fetch('/transfer/moved-fetch').then(function (answer) {
            return answer.json().then(function (data) { return data.ok && answer.url === '${origin('museum')}/script/data.json' || answer.url })
          })
        })`,
    }),
    ...Object.fromEntries(
      kinds.map((kind) => [`museum/transfer/moved-${kind}`, redirect(kind, '../colour/112.png')]),
    ),
    'museum/transfer/chain-1': redirect(301, '/transfer/chain-2'),
    'museum/transfer/chain-2': redirect(302, `${cdn}/chain-3`),
    'cdn/chain-3': redirect(307, `${origin('museum')}/colour/113.png`),
    'museum/transfer/abroad': redirect(302, `${cdn}/colour/114.png`),
    'museum/transfer/moved-frame': redirect(302, '/html/framed'),
    'museum/transfer/moved-script': redirect(302, 'deep/moved.js'),
    'museum/transfer/deep/moved.js': script('fromMoved = true'),
    'museum/transfer/moved-style': redirect(302, 'deep/moved.css'),
    'museum/transfer/deep/moved.css': {
      headers: { 'Content-Type': 'text/css' },
      body: '#moved-style { background: url(moved.png) }',
    },
    'museum/transfer/deep/moved.png': picture('#774411'),
    'museum/transfer/moved-fetch': redirect(302, '/script/data.json'),
    'museum/transfer/moved-page': redirect(301, '/transfer/arrived'),
    'museum/transfer/refresh': html(
      '<!doctype html><meta http-equiv="refresh" content="0; url=arrived"><title>Soon</title>',
    ),
    'museum/transfer/refresh-header': html('<!doctype html><title>Soon</title>', {
      Refresh: '0; url=/transfer/arrived',
    }),
    'museum/transfer/script-redirect': html(
      "<!doctype html><title>Soon</title><script>location.replace('arrived')</script>",
    ),
    'museum/transfer/arrived': tiles({
      title: 'Arrived',
      tiles: { here: '<img src="/colour/115.png" alt="">', ...scriptTiles('where') },
      script:
        "tile('where', function () { return location.pathname === '/transfer/arrived' || location.pathname })",
    }),
  }
}

function failing(): Answers {
  return {
    'museum/transfer/errors': tiles({
      title: 'Errors',
      tiles: {
        ...scriptTiles('missing', 'broken', 'empty', 'handler', 'script-missing'),
        'frame-missing': '<iframe src="/transfer/gone-page" scrolling="no"></iframe>',
        'picture-missing': '<img src="/transfer/picture-gone" alt="">',
        replaced: `<img src="/transfer/nothing.png" onerror="this.onerror = null; this.src = '/colour/116.png'" alt="">`,
        'no-type': '<img src="/transfer/no-type" alt="">',
        'wrong-type': '<img src="/transfer/wrong-type" alt="">',
      },
      script: `
        function status(url) { return fetch(url).then(function (answer) { return answer.status }) }
        tile('missing', function () { return status('/transfer/gone-page').then(function (found) { return found === 404 || found }) })
        tile('broken', function () { return status('/transfer/broken').then(function (found) { return found === 500 || found }) })
        tile('empty', function () { return status('/transfer/empty').then(function (found) { return found === 204 || found }) })
        tile('handler', function () {
          var image = new Image()
          image.src = '/transfer/nothing.png'
          return when(image, 'error')
        })
        tile('script-missing', function () {
          var element = document.createElement('script')
          element.src = '/transfer/nothing.js'
          document.head.appendChild(element)
          return when(element, 'error')
        })`,
    }),
    'museum/transfer/gone-page': {
      status: 404,
      headers: { 'Content-Type': 'text/html' },
      body: '<!doctype html><title>404</title><body style="background:#fee"><h1>It was here</h1><img src="/colour/117.png" alt="">',
    },
    'museum/transfer/broken': { status: 500, headers: { 'Content-Type': 'text/plain' }, body: 'broken' },
    'museum/transfer/empty': { status: 204 },
    'museum/transfer/picture-gone': { ...picture('#cc8844'), status: 410 },
    'museum/transfer/nothing.png': {
      status: 404,
      headers: { 'Content-Type': 'text/html' },
      body: 'no picture',
    },
    'museum/transfer/nothing.js': {
      status: 404,
      headers: { 'Content-Type': 'text/html' },
      body: 'no script',
    },
    'museum/transfer/no-type': { body: picture('#335599').body! },
    'museum/transfer/wrong-type': {
      headers: { 'Content-Type': 'text/plain' },
      body: picture('#339955').body!,
    },
  }
}

/** Long enough that a browser asks for a part of it when it seeks. */
const soundSeconds = 120

function media(): Answers {
  return {
    'museum/transfer/media': tiles({
      title: 'Sound',
      tiles: {
        ...scriptTiles('loaded', 'sought', 'range', 'range-end', 'range-type'),
        element: '<audio id="sound" src="/transfer/sound.wav" preload="auto"></audio>',
      },
      script: `
        var sound = document.getElementById('sound')
        var loaded = when(sound, 'loadedmetadata')
        tile('loaded', function () { return loaded.then(function () { return Math.round(sound.duration) === ${soundSeconds} || sound.duration }) })
        tile('sought', function () {
          return loaded.then(function () {
            sound.currentTime = ${soundSeconds - 10}
            return when(sound, 'seeked')
          }).then(function () { return sound.currentTime === ${soundSeconds - 10} })
        })
        tile('element', function () { return true })
        function part(range) { return fetch('/transfer/sound.wav', { headers: { Range: range } }) }
        tile('range', function () {
          return part('bytes=36-39').then(function (answer) {
            return answer.text().then(function (text) { return answer.status === 206 && text === 'data' || answer.status + text })
          })
        })
        tile('range-end', function () {
          return part('bytes=960000-').then(function (answer) {
            return answer.arrayBuffer().then(function (bytes) { return bytes.byteLength === 44 || bytes.byteLength })
          })
        })
        tile('range-type', function () { return part('bytes=0-3').then(function (answer) { return answer.headers.get('Content-Type') === 'audio/wav' }) })`,
    }),
    'museum/transfer/sound.wav': ranged('audio/wav', sound(soundSeconds)),
  }
}
