// Scripts that load: themselves, each other, data, and elements that they make.

import { json, script, shared, tiles } from '../files.ts'
import type { Answers, OriginOf } from '../origin-web.ts'
import { scriptTiles } from '../tile-page.ts'

export function scriptLoading(origin: OriginOf): Answers {
  const cdn = origin('cdn')
  return {
    'museum/script/': tiles({
      title: 'Loading by script',
      head: `<script type="importmap">{"imports": {"named": "/script/named.js", "folder/": "./parts/", "abroad": "${cdn}/abroad.js"}}</script>
        <script>const keptConst = 'const'; let keptLet = 'let'; class KeptClass {}; var keptVar = 'var'; function keptFunction() { return 'function' }</script>
        <script src="classic.js"></script><script src="deferred.js" defer></script><script src="async.js" async></script><script src="parts/importing.js"></script>
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
        'dynamic-in-file',
        'mapped-in-module',
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
        'send-missing',
        'send-missing-json',
        'send-missing-put',
        'request-missing',
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
        tile('dynamic-in-file', function () { return self.fromFile.then(function (m) { return m.value === 'part' }) })
        tile('mapped-in-module', function () { return new Promise(function (resolve) { self.mappedInModule = resolve }) })
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
        function sent(method, headers) {
          return fetch('/missing', { method: method, body: '{}', headers: headers }).then(function (answer) { return answer.status === 404 || answer.status })
        }
        tile('send-missing', function () { return sent('POST') })
        tile('send-missing-json', function () { return sent('POST', { 'Content-Type': 'application/json', 'X-Own': '1' }) })
        tile('send-missing-put', function () { return sent('PUT', { 'Content-Type': 'application/json' }) })
        tile('request-missing', function () {
          var request = new XMLHttpRequest()
          request.open('DELETE', '/missing')
          var loaded = when(request, 'load')
          request.send()
          return loaded.then(function () { return request.status === 404 || request.status })
        })
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
      import('folder/part.js').then((m) => mappedInModule(m.value === 'part'), mappedInModule)
      modulePlace(import.meta.url === '${origin('museum')}/script/module.js' || import.meta.url)`),
    'museum/script/side.js': script('self.fromSide = true'),
    'museum/script/parts/part.js': script("export const value = 'part'"),
    'museum/script/parts/importing.js': script("self.fromFile = import('./part.js')"),
    'museum/script/named.js': script("export const value = 'named'\nexport default 7"),
    'museum/script/dynamic.js': script("export const value = 'dynamic'; export default () => true"),
    'cdn/abroad.js': script("export const value = 'abroad'", shared),
    'museum/script/data.json': json('{"ok": true, "url": "/colour/1.png"}'),
    'cdn/data.json': json('{"ok": true}', shared),
    'cdn/jsonp?callback=arrived': script('arrived({"ok": true})'),
  }
}
