// What scripts load: by addresses that stand in them, and by addresses that they build.

import { css, html, json, script, shared, signFont } from '../files.ts'
import { made, quoted, type WayParts, type Ways, written } from './way.ts'

const place = (id: string) => `document.getElementById('${id}')`

/** Lights the tile when an image has come; `address` is an expression. */
const showing = (id: string, address: string) => `tile('${id}', function () {
  var image = new Image()
  var loaded = when(image, 'load')
  image.src = ${address}
  return loaded
})`

/** A script that says that it has run, and one that waits for it. */
const saying = (id: string) => script(`self['${id}-ran'] = true`)
const hearing = (id: string) =>
  `tile('${id}', function () { return when(self, 'load').then(function () { return self['${id}-ran'] === true }) })`

const asking = (id: string, worker: string) => `tile('${id}', function () {
  return new Promise(function (resolve, reject) {
    var worker = ${worker}
    worker.onmessage = function (event) { resolve(event.data) }
    worker.onerror = function () { reject('worker error') }
    worker.postMessage('hello')
  })
})`

const part = (parts: WayParts, name = 'part.js', host?: 'ways' | 'parts') =>
  parts.file(name, script("export const value = 'part'", shared), host)

export const scriptWays: Ways = {
  script: written('a script', ({ id, file }) => ({
    head: `<script src="${file('plain.js', saying(id))}"></script>`,
    script: hearing(id),
  })),
  module: written('a module that imports another, of another host', (parts) => {
    const { id, file, other } = parts
    const first = `import { value } from '${other}${part(parts, 'abroad.js', 'parts')}'; self['${id}-ran'] = value === 'part'`
    return {
      head: `<script type="module" src="${file('first.js', script(first))}"></script>`,
      script: hearing(id),
    }
  }),
  'import-map': written('a module by its name in an import map', (parts) => ({
    head: `<script type="importmap">{"imports": {"mapped": "${part(parts)}"}}</script>`,
    script: hearing(parts.id),
    after: `<script type="module">import { value } from 'mapped'; self['${parts.id}-ran'] = value === 'part'</script>`,
  })),
  'module-preload': written('a module that is preloaded', (parts) => ({
    head: `<link rel="modulepreload" href="${part(parts)}">`,
    script: `tile('${parts.id}', function () { return import(document.querySelector('link[rel=modulepreload]').href).then(function (m) { return m.value === 'part' }) })`,
  })),
  'dynamic-import': written('import(…) of an address', (parts) => ({
    script: `tile('${parts.id}', function () { return import('${part(parts)}').then(function (m) { return m.value === 'part' }) })`,
  })),
  worker: written('a worker', ({ id, file }) => ({
    script: asking(
      id,
      `new Worker('${file('worker.js', script('onmessage = function () { postMessage(true) }'))}')`,
    ),
  })),
  'import-scripts': written('importScripts in a worker', ({ id, file }) => {
    const imported = file('imported.js', script('self.isImported = true'))
    const text = `importScripts('${imported}'); onmessage = function () { postMessage(isImported) }`
    return { script: asking(id, `new Worker('${file('worker.js', script(text))}')`) }
  }),
  'module-worker': written('a worker that is a module, and imports one', (parts) => {
    const text = `import { value } from '${part(parts)}'; onmessage = () => postMessage(value === 'part')`
    return {
      script: asking(parts.id, `new Worker('${parts.file('worker.js', script(text))}', { type: 'module' })`),
    }
  }),
  'shared-worker': written('a shared worker', ({ id, file }) => {
    const text = 'onconnect = function (event) { event.ports[0].postMessage(true) }'
    return {
      script: `tile('${id}', function () {
        return new Promise(function (resolve) {
          new SharedWorker('${file('worker.js', script(text))}').port.onmessage = function (event) { resolve(event.data) }
        })
      })`,
    }
  }),
  fetch: written('fetch of an address', ({ id, file }) => ({
    script: `tile('${id}', function () { return fetch('${file('data.json', json('{"ok":true}'))}').then(function (a) { return a.json() }).then(function (data) { return data.ok }) })`,
  })),
  request: written('XMLHttpRequest of an address', ({ id, file }) => ({
    script: `tile('${id}', function () {
      var request = new XMLHttpRequest()
      request.open('GET', '${file('data.json', json('{"ok":true}'))}')
      var loaded = when(request, 'load')
      request.send()
      return loaded.then(function () { return JSON.parse(request.responseText).ok })
    })`,
  })),
  'written-markup': quoted('markup in a string of a script', ({ id, picture }) => ({
    script: `${place(id)}.innerHTML = '<img src="${picture('image')}" alt="">'`,
  })),
  'image-made': quoted('an image whose address stands in a script', ({ id, picture }) => ({
    script: showing(id, `'${picture('image')}'`),
  })),
  'style-made': quoted('a background whose address stands in a script', ({ id, picture }) => ({
    script: `${place(id)}.style.backgroundImage = 'url(${picture('background')})'`,
  })),
  'font-made': quoted('a font whose address stands in a script', ({ id, file }) => ({
    script: `tile('${id}', function () {
      return new FontFace('${id}', 'url(${file('signs.ttf', { headers: { 'Content-Type': 'font/ttf', ...shared }, body: signFont() })})').load().then(function (f) { return f.status === 'loaded' })
    })`,
  })),
  canvas: quoted('a canvas with an image whose address stands in a script', ({ id, picture }) => ({
    script: `tile('${id}', function () {
      var image = new Image()
      var loaded = when(image, 'load')
      image.src = '${picture('image')}'
      return loaded.then(function () {
        var canvas = ${place(id)}.appendChild(document.createElement('canvas'))
        canvas.getContext('2d').drawImage(image, 0, 0)
        return canvas.getContext('2d').getImageData(1, 1, 1, 1).data[3] === 255
      })
    })`,
  })),
  'lazy-attribute': written(
    'an image whose address a script takes from an attribute (data-src)',
    ({ id, picture }) => ({
      tile: `<img id="${id}-image" data-src="${picture('image')}" alt="">`,
      script: `document.getElementById('${id}-image').src = document.getElementById('${id}-image').dataset.src`,
    }),
  ),
  'local-storage': made('an image that depends on what was stored', ({ id, picture }) => ({
    script: `localStorage.setItem('${id}', '${picture('x').replace(/x\.png$/, '')}'); ${showing(id, `localStorage.getItem('${id}') + 'x.png'`)}`,
  })),
  'address-built': made('an image whose address a script builds', ({ id, picture }) => ({
    script: showing(id, `'${picture('7').replace(/7\.png$/, '')}' + (3 + 4) + '.png'`),
  })),
  'import-built': made('import(…) of an address that is built', (parts) => ({
    script: `tile('${parts.id}', function () { return import(${JSON.stringify(part(parts).replace('part.js', ''))} + ['part', 'js'].join('.')).then(function (m) { return m.value === 'part' }) })`,
  })),
  'json-driven': made('images that are named in data which a script fetches', ({ id, file, picture }) => ({
    script: `tile('${id}', function () {
      return fetch('${file('list.json', json(JSON.stringify([picture('listed').replace(/\.png$/, '')])))}').then(function (a) { return a.json() }).then(function (names) {
        var image = new Image()
        var loaded = when(image, 'load')
        image.src = names[0] + '.png'
        return loaded
      })
    })`,
  })),
  'frame-with-script': made(
    'a frame whose script builds the address of an image',
    ({ id, picture, file }) => {
      const folder = picture('inner').replace(/inner\.png$/, '')
      return {
        tile: `<iframe scrolling="no" src="${file('frame', html(`<!doctype html><body style="margin:0"><script>document.write('<img alt="" src="${folder}' + ['in', 'ner'].join('') + '.png">')</script>`))}"></iframe>`,
        script: `void '${id}'`,
      }
    },
  ),
  'sheet-built': made('a style sheet whose address a script builds', ({ id, file, picture }) => ({
    script: `tile('${id}', function () {
      var link = document.createElement('link')
      link.rel = 'stylesheet'
      link.href = '${file('style-2.css', css(`#${id} { background-image: url(${picture('background')}) }`)).replace('style-2.css', '')}' + 'style-' + 2 + '.css'
      var loaded = when(link, 'load')
      document.head.appendChild(link)
      return loaded
    })`,
  })),
  scrolled: made('what a page fetches when its reader scrolls to it', ({ id, picture }) => ({
    script: `tile('${id}', function () {
      return new Promise(function (resolve, reject) {
        new IntersectionObserver(function (entries) {
          if (!entries[0].isIntersecting) return
          var image = new Image()
          when(image, 'load').then(resolve, reject)
          image.src = '${picture('seen').replace(/seen\.png$/, '')}' + 'se' + 'en.png'
        }).observe(${place(id)})
      })
    })`,
  })),
  sent: made('the answer to what a script sends (POST)', ({ id, file }) => ({
    script: `tile('${id}', function () { return fetch('${file('answer', json('{"ok":true}'))}', { method: 'POST', body: 'q=1' }).then(function (a) { return a.json() }).then(function (data) { return data.ok }) })`,
  })),
}
