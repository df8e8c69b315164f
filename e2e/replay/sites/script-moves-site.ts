// Scripts that change the address of their page, and modules that are loaded ahead of the map that they need.

import { json, script, tiles } from '../files.ts'
import type { Answers, OriginOf } from '../origin-web.ts'
import { scriptTiles } from '../tile-page.ts'

export function scriptMoves(origin: OriginOf): Answers {
  const museum = origin('museum')
  return {
    'museum/script/moves': tiles({
      title: 'Addresses that move',
      tiles: {
        ...scriptTiles(
          'push-parts',
          'push-document',
          'push-fetch',
          'push-request',
          'push-image',
          'push-link',
          'push-import',
          'push-worker',
          'push-hash',
          'push-click',
          'push-assign',
          'push-state',
          'back',
          'back-fetch',
          'forward',
          'replace-query',
          'replace-relative',
          'replace-own-click',
          'refused',
        ),
        links: '<a id="within" href="#within">.</a><a id="named" name="assigned">.</a>',
      },
      script: `
        function same(found, expected) { return found === expected || String(found) }
        var chain = Promise.resolve()
        function step(name, work) {
          var own = chain.then(work)
          chain = own.catch(function () {})
          tile(name, function () { return own })
        }
        function moved(go) {
          var heard = new Promise(function (resolve) { addEventListener('popstate', resolve, { once: true }) })
          go()
          return heard
        }
        function status(url) { return fetch(url).then(function (answer) { return same(answer.status, 200) }) }
        step('push-parts', function () {
          history.pushState({ number: 1 }, '', 'parts/pushed?a=b')
          return same([location.pathname, location.search, location.hash, window.location.href].join(),
            '/script/parts/pushed,?a=b,,${museum}/script/parts/pushed?a=b')
        })
        step('push-document', function () {
          return same([document.URL, document.baseURI, document.documentURI, document.location.pathname].join(),
            '${museum}/script/parts/pushed?a=b,${museum}/script/parts/pushed?a=b,${museum}/script/parts/pushed?a=b,/script/parts/pushed')
        })
        step('push-fetch', function () { return status('here.json') })
        step('push-request', function () {
          var request = new XMLHttpRequest()
          request.open('GET', './here.json', false)
          request.send()
          return same(request.status, 200)
        })
        step('push-image', function () {
          var image = document.createElement('img')
          var loaded = when(image, 'load')
          image.src = '../../colour/85.png'
          return loaded.then(function () { return same(image.src, '${museum}/colour/85.png') })
        })
        step('push-link', function () {
          var link = document.createElement('a')
          link.href = 'next'
          return same(link.href, '${museum}/script/parts/next')
        })
        step('push-import', function () { return import('./parts/part.js').then(function (m) { return same(m.value, 'part') }) })
        step('push-worker', function () {
          return new Promise(function (resolve) {
            var worker = new Worker('../worker.js')
            worker.onmessage = function (event) { resolve(event.data) }
            worker.postMessage('place')
          })
        })
        step('push-hash', function () {
          location.hash = '#one'
          return same(location.href + location.hash, '${museum}/script/parts/pushed?a=b#one#one')
        })
        step('push-click', function () {
          return moved(function () { document.getElementById('within').click() }).then(function () {
            return same(location.href, '${museum}/script/parts/pushed?a=b#within')
          })
        })
        step('push-assign', function () {
          location.replace('#assigned')
          return new Promise(function (resolve) { setTimeout(resolve, 50) }).then(function () {
            return same(location.href, '${museum}/script/parts/pushed?a=b#assigned')
          })
        })
        step('push-state', function () {
          history.pushState({ number: 2 }, '', '/script/moves/far')
          return same(JSON.stringify(history.state) + location.pathname, '{"number":2}/script/moves/far')
        })
        step('back', function () {
          return moved(function () { history.back() }).then(function () {
            return same(history.state + location.href, 'null${museum}/script/parts/pushed?a=b#assigned')
          })
        })
        step('back-fetch', function () { return status('here.json') })
        step('forward', function () {
          return moved(function () { history.forward() }).then(function () {
            return same(JSON.stringify(history.state) + location.pathname, '{"number":2}/script/moves/far')
          })
        })
        step('replace-query', function () {
          history.replaceState(null, '', '?page=2')
          return same(location.pathname + location.search, '/script/moves/far?page=2')
        })
        step('replace-relative', function () {
          history.replaceState(null, '', '../moves')
          return status('parts/here.json').then(function (is) { return same(is + location.href, 'true${museum}/script/moves') })
        })
        step('replace-own-click', function () {
          return moved(function () { document.getElementById('within').click() }).then(function () {
            return same(location.href, '${museum}/script/moves#within')
          })
        })
        step('refused', function () {
          try { history.pushState(null, '', 'http://elsewhere.localhost/') } catch (error) { return same(location.pathname, '/script/moves') }
          return 'allowed'
        })`,
    }),
    'museum/script/parts/here.json': json('{"ok": true}'),
    'museum/script/preloads': tiles({
      title: 'Modules ahead of their map',
      head: `<link rel="modulepreload" href="parts/part.js"><link rel="modulepreload" href="/script/named.js">
        <link rel="modulepreload" crossorigin href="parts/titled.js">
        <link rel="preload" as="script" href="classic.js"><script src="classic.js"></script>
        <script type="importmap">{"imports": {"named": "/script/named.js", "parts/": "./parts/", "titled": "./parts/titled.js", "/script/mapped-away.js": "/script/named.js"}}</script>`,
      tiles: scriptTiles(
        'preloaded',
        'preloaded-late',
        'preloaded-titled',
        'preloaded-map',
        'preloaded-remapped',
        'preloaded-classic',
      ),
      script: `
        tile('preloaded', function () { return new Promise(function (resolve) { self.fromMapping = resolve }) })
        tile('preloaded-late', function () { return import('parts/mapping.js').then(function (m) { return m.mapped === 'named' }) })
        tile('preloaded-titled', function () { return import('titled').then(function (m) { return m.title === document.title }) })
        tile('preloaded-remapped', function () { return import('/script/mapped-away.js').then(function (m) { return m.value === 'named' }) })
        tile('preloaded-map', function () {
          var map = document.createElement('script')
          map.type = 'importmap'
          map.textContent = JSON.stringify({ imports: { late: '/script/parts/part.js', 'late/': './parts/' } })
          document.head.appendChild(map)
          return Promise.all([import('late'), import('late/titled.js')]).then(function (m) { return m[0].value === 'part' && m[1].title === document.title })
        })
        tile('preloaded-classic', function () { return self.fromClassic })`,
      after:
        '<script type="module">import { mapped } from "parts/mapping.js"; fromMapping(mapped === "named")</script>',
    }),
    'museum/script/parts/titled.js': script(
      "import { value } from './part.js'\nexport const title = value === 'part' && location.pathname === '/script/preloads' && document.title",
    ),
    'museum/script/parts/mapping.js': script("import { value } from 'named'\nexport const mapped = value"),
  }
}
