// Scripts: how they are loaded, what they load, and what they ask about where they are.

import { html, json, script, shared, tiles } from '../files.ts'
import type { Answers, OriginOf } from '../origin-web.ts'
import { scriptTiles } from '../tile-page.ts'

export const scriptPages = [
  'museum/script/',
  'museum/script/place',
  'museum/script/workers',
  'museum/script/frames',
]

export function scriptSite(origin: OriginOf): Answers {
  return { ...loading(origin), ...place(origin), ...workers(), ...frames(origin) }
}

function loading(origin: OriginOf): Answers {
  const cdn = origin('cdn')
  return {
    'museum/script/': tiles({
      title: 'Loading by script',
      head: `<script type="importmap">{"imports": {"named": "/script/named.js", "folder/": "./parts/", "abroad": "${cdn}/abroad.js"}}</script>
        <script>const keptConst = 'const'; let keptLet = 'let'; class KeptClass {}; var keptVar = 'var'; function keptFunction() { return 'function' }</script>
        <script src="classic.js"></script><script src="deferred.js" defer></script><script src="async.js" async></script>
        <script nomodule src="/none.js"></script><script type="text/template"><img src="/none.png"></script>`,
      tiles: scriptTiles(
        'classic',
        'deferred',
        'async',
        'scopes',
        'module',
        'module-inline',
        'dynamic',
        'dynamic-variable',
        'mapped',
        'mapped-folder',
        'mapped-abroad',
        'module-place',
        'fetch-json',
        'fetch-absolute',
        'fetch-abroad',
        'fetch-request',
        'fetch-url',
        'fetch-missing',
        'request-json',
        'request-sync',
        'request-address',
        'jsonp',
        'written-image',
        'written-script',
        'made-image',
        'made-attribute',
        'made-html',
        'made-adjacent',
        'made-script',
        'made-frame',
        'made-fragment',
        'made-parsed',
        'made-srcset',
        'new-image',
        'evaluated',
        'function-made',
        'timer-text',
        'current-script',
        'shadow',
        'custom-element',
        'blob-image',
        'canvas',
        'json-module',
      ),
      script: `
        tile('classic', function () { return self.fromClassic })
        tile('deferred', function () { return when(self, 'load').then(function () { return self.fromDeferred }) })
        tile('async', function () { return when(self, 'load').then(function () { return self.fromAsync }) })
        tile('scopes', function () {
          return [keptConst, keptLet, typeof KeptClass, keptVar, keptFunction(), self.keptVar].join() === 'const,let,function,var,function,var'
        })
        tile('module', function () { return new Promise(function (resolve) { self.fromModule = resolve }) })
        tile('module-inline', function () { return new Promise(function (resolve) { self.fromInlineModule = resolve }) })
        tile('module-place', function () { return new Promise(function (resolve) { self.modulePlace = resolve }) })
        tile('dynamic', function () { return import('./dynamic.js').then(function (m) { return m.value === 'dynamic' }) })
        tile('dynamic-variable', function () {
          var name = ['/script', 'dynamic.js'].join('/')
          return import(name).then(function (m) { return m.default() })
        })
        tile('mapped', function () { return import('named').then(function (m) { return m.value === 'named' }) })
        tile('mapped-folder', function () { return import('folder/part.js').then(function (m) { return m.value === 'part' }) })
        tile('mapped-abroad', function () { return import('abroad').then(function (m) { return m.value === 'abroad' }) })
        tile('json-module', function () {
          return import('./data.json', { with: { type: 'json' } }).then(function (m) { return m.default.ok })
        })
        var isOk = function (answer) { return answer.json().then(function (data) { return data.ok }) }
        tile('fetch-json', function () { return fetch('data.json').then(isOk) })
        tile('fetch-absolute', function () { return fetch(location.origin + '/script/data.json').then(isOk) })
        tile('fetch-abroad', function () { return fetch('${cdn}/data.json').then(isOk) })
        tile('fetch-request', function () { return fetch(new Request('/script/data.json', { headers: { 'X-Own': '1' } })).then(isOk) })
        tile('fetch-url', function () {
          return fetch(new URL('data.json', location.href)).then(function (answer) {
            return answer.url === '${origin('museum')}/script/data.json' || answer.url
          })
        })
        tile('fetch-missing', function () { return fetch('/missing').then(function (answer) { return answer.status === 404 || answer.status }) })
        tile('request-json', function () {
          var request = new XMLHttpRequest()
          request.open('GET', '/script/data.json')
          request.responseType = 'json'
          var loaded = when(request, 'load')
          request.send()
          return loaded.then(function () { return request.response.ok })
        })
        tile('request-sync', function () {
          var request = new XMLHttpRequest()
          request.open('GET', 'data.json', false)
          request.send()
          return JSON.parse(request.responseText).ok
        })
        tile('request-address', function () {
          var request = new XMLHttpRequest()
          request.open('GET', 'data.json', false)
          request.send()
          return request.responseURL === '${origin('museum')}/script/data.json' || request.responseURL
        })
        tile('jsonp', function () {
          return new Promise(function (resolve) {
            self.arrived = function (data) { resolve(data.ok) }
            var element = document.createElement('script')
            element.src = '${cdn}/jsonp?callback=arrived'
            document.head.appendChild(element)
          })
        })
        document.write('<div id="written" style="display:none"><img id="written-picture" src="/colour/71.png" alt=""></div>')
        document.write('<scr' + 'ipt src="/script/written.js"></scr' + 'ipt>')
        tile('written-image', function () { return when(document.getElementById('written-picture'), 'load') })
        tile('written-script', function () { return when(self, 'load').then(function () { return self.fromWritten }) })
        function add(name, element) { document.getElementById(name).appendChild(element); return element }
        function shown(name, make) {
          tile(name, function () {
            make(document.getElementById(name))
            var image = document.getElementById(name).querySelector('img')
            return image.complete && image.naturalWidth > 0 ? true : when(image, 'load')
          })
        }
        shown('made-image', function (place) {
          var image = document.createElement('img')
          image.src = '/colour/72.png'
          place.appendChild(image)
        })
        shown('made-attribute', function (place) {
          var image = document.createElement('img')
          image.setAttribute('src', '../colour/73.png')
          place.appendChild(image)
        })
        shown('made-html', function (place) { place.innerHTML = '<img src="/colour/74.png" alt="">' })
        shown('made-adjacent', function (place) { place.insertAdjacentHTML('beforeend', '<img src="/colour/75.png" alt="">') })
        shown('made-fragment', function (place) {
          place.appendChild(document.createRange().createContextualFragment('<img src="/colour/76.png" alt="">'))
        })
        shown('made-parsed', function (place) {
          var parsed = new DOMParser().parseFromString('<img src="/colour/77.png" alt="">', 'text/html')
          place.appendChild(document.importNode(parsed.querySelector('img'), true))
        })
        shown('made-srcset', function (place) {
          var image = document.createElement('img')
          image.srcset = '/colour/78.png 1x, /none.png 2x'
          place.appendChild(image)
        })
        shown('new-image', function (place) {
          var image = new Image(46, 46)
          image.src = '${cdn}/colour/79.png'
          place.appendChild(image)
        })
        tile('made-script', function () {
          var element = document.createElement('script')
          element.src = '/script/made.js'
          document.body.appendChild(element)
          return when(element, 'load').then(function () { return self.fromMade })
        })
        tile('made-frame', function () {
          var frame = document.createElement('iframe')
          frame.src = '/html/framed'
          add('made-frame', frame)
          return when(frame, 'load')
        })
        tile('evaluated', function () { return eval('location.hostname') === 'museum.localhost' })
        tile('function-made', function () { return new Function('return location.hostname')() === 'museum.localhost' })
        tile('timer-text', function () {
          return new Promise(function (resolve) { self.fromTimer = resolve; setTimeout('fromTimer(true)', 0) })
        })
        tile('current-script', function () { return self.classicAddress === '${origin('museum')}/script/classic.js' || self.classicAddress })
        tile('shadow', function () {
          var shadow = document.getElementById('shadow').attachShadow({ mode: 'open' })
          shadow.innerHTML = '<style>img { width: 46px; height: 46px }</style><img src="/colour/80.png" alt="">'
          return when(shadow.querySelector('img'), 'load')
        })
        tile('custom-element', function () {
          customElements.define('own-picture', class extends HTMLElement {
            connectedCallback() { this.innerHTML = '<img src="' + this.getAttribute('from') + '" alt="">' }
          })
          document.getElementById('custom-element').innerHTML = '<own-picture from="/colour/81.png"></own-picture>'
          return when(document.querySelector('own-picture img'), 'load')
        })
        tile('blob-image', function () {
          return fetch('/colour/82.png').then(function (answer) { return answer.blob() }).then(function (blob) {
            var image = add('blob-image', new Image())
            image.src = URL.createObjectURL(blob)
            return when(image, 'load')
          })
        })
        tile('canvas', function () {
          var image = new Image()
          image.src = '/colour/83.png'
          return when(image, 'load').then(function () {
            var canvas = add('canvas', document.createElement('canvas'))
            canvas.getContext('2d').drawImage(image, 0, 0)
            return canvas.getContext('2d').getImageData(5, 5, 1, 1).data[3] === 255
          })
        })`,
      after: `<script type="module" src="module.js"></script>
        <script type="module">import { value } from './parts/part.js'; fromInlineModule(value === 'part')</script>`,
    }),
    'museum/script/classic.js': script(
      'var fromClassic = true; self.classicAddress = document.currentScript && document.currentScript.src',
    ),
    'museum/script/deferred.js': script('fromDeferred = true'),
    'museum/script/async.js': script('window.fromAsync = true'),
    'museum/script/written.js': script('var fromWritten = true'),
    'museum/script/made.js': script('this.fromMade = true'),
    'museum/script/module.js': script(`import { value } from './parts/part.js'
      import whole, * as rest from "/script/named.js"
      import '/script/side.js'
      export { value } from './parts/part.js'
      fromModule(value === 'part' && rest.value === 'named' && whole === 7 && self.fromSide)
      modulePlace(import.meta.url === '${origin('museum')}/script/module.js' || import.meta.url)`),
    'museum/script/side.js': script('self.fromSide = true'),
    'museum/script/parts/part.js': script("export const value = 'part'"),
    'museum/script/named.js': script("export const value = 'named'\nexport default 7"),
    'museum/script/dynamic.js': script("export const value = 'dynamic'; export default () => true"),
    'cdn/abroad.js': script("export const value = 'abroad'", shared),
    'museum/script/data.json': json('{"ok": true, "url": "/colour/1.png"}'),
    'cdn/data.json': json('{"ok": true}', shared),
    'cdn/jsonp?callback=arrived': script('arrived({"ok": true})'),
  }
}

function place(origin: OriginOf): Answers {
  const museum = origin('museum')
  const [, , host] = museum.split('/')
  return {
    'museum/script/place': tiles({
      title: 'Where am I?',
      tiles: scriptTiles(
        'address',
        'address-window',
        'address-document',
        'address-parts',
        'address-text',
        'origin-own',
        'top-own',
        'parent-own',
        'frame-element',
        'history',
        'history-relative',
        'hash',
        'cookie',
        'cookie-gone',
        'storage',
        'storage-session',
        'storage-names',
        'link-property',
        'image-property',
        'form-property',
        'domain',
        'anchor-origin',
        'this-global',
        'shadowed',
        'property-named',
        'regular',
        'url-object',
        'referrer',
        'own-message',
        'crypto',
      ),
      script: `
        function same(found, expected) { return found === expected || String(found) }
        tile('address', function () { return same(location.href, '${museum}/script/place') })
        tile('address-window', function () { return same(window.location.href, '${museum}/script/place') })
        tile('address-document', function () { return same(document.URL + document.location, '${museum}/script/place${museum}/script/place') })
        tile('address-parts', function () {
          return same([location.protocol, location.host, location.pathname, location.search].join(), 'http:,${host},/script/place,')
        })
        tile('address-text', function () { return same('' + location, '${museum}/script/place') })
        tile('origin-own', function () { return same(self.origin + location.origin, '${museum}${museum}') })
        tile('top-own', function () { return top === window && top === self })
        tile('parent-own', function () { return parent === window })
        tile('frame-element', function () { return window.frameElement === null })
        tile('hash', function () {
          location.hash = '#part'
          return same(location.href, '${museum}/script/place#part')
        })
        tile('history', function () {
          history.pushState({ number: 1 }, '', '/script/pushed?a=b')
          return same(location.pathname + location.search + history.state.number, '/script/pushed?a=b1')
        })
        tile('history-relative', function () {
          history.replaceState(null, '', 'place')
          return same(location.href, '${museum}/script/place')
        })
        tile('cookie', function () {
          document.cookie = 'colour=blue; path=/'
          document.cookie = 'size=7'
          return /colour=blue/.test(document.cookie) && /size=7/.test(document.cookie) || document.cookie
        })
        tile('cookie-gone', function () {
          document.cookie = 'gone=1'
          document.cookie = 'gone=1; expires=Thu, 01 Jan 1970 00:00:00 GMT'
          return !/gone/.test(document.cookie) || document.cookie
        })
        tile('storage', function () {
          localStorage.setItem('a', 1)
          localStorage.b = 'two'
          return same(localStorage.getItem('a') + localStorage.b + localStorage.getItem('c'), '1twonull')
        })
        tile('storage-session', function () {
          sessionStorage.setItem('a', 'x')
          sessionStorage.removeItem('a')
          return sessionStorage.getItem('a') === null
        })
        tile('storage-names', function () {
          localStorage.clear()
          localStorage.setItem('only', 1)
          return same(localStorage.length + localStorage.key(0) + Object.keys(localStorage).join(), '1onlyonly')
        })
        tile('link-property', function () {
          var link = document.createElement('a')
          link.href = '../x?y#z'
          return same([link.href, link.host, link.pathname, link.search, link.hash].join(), '${museum}/x?y#z,${host},/x,?y,#z')
        })
        tile('image-property', function () {
          var image = document.createElement('img')
          image.src = '/colour/91.png'
          return same(image.src + image.getAttribute('src'), '${museum}/colour/91.png/colour/91.png')
        })
        tile('form-property', function () {
          var form = document.createElement('form')
          form.action = '/search'
          return same(form.action, '${museum}/search')
        })
        tile('domain', function () { return same(document.domain, 'museum.localhost') })
        tile('anchor-origin', function () {
          var link = document.createElement('a')
          link.href = '/'
          return same(link.origin, '${museum}')
        })
        tile('this-global', function () { return (function () { return this.location.host })() === '${host}' })
        tile('shadowed', function () {
          var location = { href: 'mine' }
          var read = function (top) { return top.location }
          return location.href === 'mine' && read({ location: 3 }) === 3
        })
        tile('property-named', function () {
          var thing = { location: 'here', top: 1, parent: 2, document: 3, self: 4 }
          return thing.location === 'here' && thing['top'] + thing.parent + thing.document + thing.self === 10
        })
        tile('regular', function () { return 'a/location=b'.replace(/location\\s*=/, 'x') === 'a/xb' })
        tile('url-object', function () { return same(new URL('/a', location).href, '${museum}/a') })
        tile('referrer', function () { return same(document.referrer, '') })
        tile('own-message', function () {
          return new Promise(function (resolve) {
            addEventListener('message', function (event) { if (event.data === 'own') resolve(same(event.origin, '${museum}')) })
            window.postMessage('own', location.origin)
          })
        })
        tile('crypto', function () {
          return crypto.subtle.digest('SHA-256', new Uint8Array(1)).then(function (digest) { return digest.byteLength === 32 })
        })`,
    }),
  }
}

function workers(): Answers {
  return {
    'museum/script/workers': tiles({
      title: 'Workers',
      tiles: scriptTiles(
        'worker',
        'worker-imports',
        'worker-fetches',
        'worker-place',
        'worker-module',
        'worker-blob',
      ),
      script: `
        function asked(worker, question) {
          return new Promise(function (resolve, reject) {
            worker.onmessage = function (event) { resolve(event.data) }
            worker.onerror = function (event) { reject('worker error: ' + event.message) }
            worker.postMessage(question)
          })
        }
        tile('worker', function () { return asked(new Worker('worker.js'), 'hello') })
        tile('worker-imports', function () { return asked(new Worker('/script/worker.js'), 'import') })
        tile('worker-fetches', function () { return asked(new Worker('/script/worker.js'), 'fetch') })
        tile('worker-place', function () { return asked(new Worker('/script/worker.js'), 'place') })
        tile('worker-module', function () { return asked(new Worker('/script/worker-module.js', { type: 'module' }), 'hello') })
        tile('worker-blob', function () {
          var blob = new Blob(['onmessage = function () { postMessage(true) }'], { type: 'text/javascript' })
          return asked(new Worker(URL.createObjectURL(blob)), 'hello')
        })`,
    }),
    'museum/script/worker.js': script(`onmessage = function (event) {
      if (event.data === 'hello') postMessage(true)
      if (event.data === 'place') postMessage(location.pathname === '/script/worker.js' || location.href)
      if (event.data === 'import') { importScripts('worker-part.js'); postMessage(fromPart) }
      if (event.data === 'fetch') fetch('/script/data.json').then(function (a) { return a.json() }).then(
        function (data) { postMessage(data.ok) }, function (error) { postMessage(String(error)) })
    }`),
    'museum/script/worker-part.js': script('fromPart = true'),
    'museum/script/worker-module.js': script(
      "import { value } from './parts/part.js'; onmessage = () => postMessage(value === 'part')",
    ),
  }
}

function frames(origin: OriginOf): Answers {
  const [museum, cdn] = [origin('museum'), origin('cdn')]
  const talk = (to: string) => `<!doctype html><body style="margin:0;background:#246"><script>
    addEventListener('message', function (event) {
      if (event.origin !== '${museum}') return
      event.source.postMessage({ answer: event.data.question, where: location.href }, event.origin)
    })
    parent.postMessage({ ready: '${to}' }, '*')</script>`
  return {
    'museum/script/frames': tiles({
      title: 'Frames that talk',
      tiles: {
        ...scriptTiles('same-site', 'other-site', 'text-frame', 'named-frame', 'frame-count'),
        holder: '<iframe name="same" id="same-frame" src="/script/talk"></iframe>',
        'holder-other': `<iframe id="other-frame" src="${cdn}/talk"></iframe>`,
        'holder-text': '<iframe id="text-frame-1" srcdoc="<p id=inside>inside</p>"></iframe>',
        'written-frame': '<iframe id="empty-frame"></iframe>',
      },
      script: `
        function ask(id, where) {
          return new Promise(function (resolve) {
            addEventListener('message', function (event) {
              if (event.source !== document.getElementById(id).contentWindow) return
              if (event.data.answer === id) resolve(event.data.where === where || event.data.where)
            })
            function question() { document.getElementById(id).contentWindow.postMessage({ question: id }, new URL(where).origin) }
            when(self, 'load').then(question)
          })
        }
        tile('same-site', function () { return ask('same-frame', '${museum}/script/talk') })
        tile('other-site', function () { return ask('other-frame', '${cdn}/talk') })
        tile('text-frame', function () {
          return when(self, 'load').then(function () {
            return document.getElementById('text-frame-1').contentDocument.getElementById('inside').textContent === 'inside'
          })
        })
        setTimeout(function () {
          var written = document.getElementById('empty-frame').contentDocument
          written.open()
          written.write('<body style="margin:0;background:#135"><img src="/colour/92.png" alt="">')
          written.close()
        })
        tile('named-frame', function () { return frames.same === document.getElementById('same-frame').contentWindow })
        tile('frame-count', function () { return when(self, 'load').then(function () { return frames.length === 4 }) })`,
    }),
    'museum/script/talk': html(talk('same')),
    'cdn/talk': html(talk('other')),
  }
}
