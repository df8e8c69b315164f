// Scripts: what they load, what they ask about where they are, their workers and their frames.

import { html, script, tiles } from '../files.ts'
import type { Answers, OriginOf } from '../origin-web.ts'
import { scriptTiles } from '../tile-page.ts'
import { scriptLoading } from './script-loading-site.ts'
import { scriptMoves } from './script-moves-site.ts'
import { scriptPlace } from './script-place-site.ts'
import { scriptStorage } from './script-storage-site.ts'

export const scriptPages = [
  'museum/script/',
  'museum/script/place',
  'museum/script/workers',
  'museum/script/frames',
  'museum/script/moves',
  'museum/script/preloads',
  'museum/script/storage',
]

export function scriptSite(origin: OriginOf): Answers {
  return {
    ...scriptLoading(origin),
    ...scriptPlace(origin),
    ...scriptMoves(origin),
    ...scriptStorage(),
    ...workers(),
    ...frames(origin),
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
        'worker-imports-self',
        'worker-dynamic',
        'worker-nested',
        'worker-answer',
        'worker-class',
        'worker-blob-early',
        'worker-data',
        'module-place',
        'module-fetches',
        'module-dynamic',
        'module-rooted',
        'shared',
        'shared-twice',
        'shared-module',
        'shared-named',
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
        })
        tile('worker-imports-self', function () { return asked(new Worker('worker.js'), 'import-self') })
        tile('worker-dynamic', function () { return asked(new Worker('worker.js'), 'dynamic') })
        tile('worker-nested', function () { return asked(new Worker('worker.js'), 'nested') })
        tile('worker-answer', function () { return asked(new Worker('worker.js'), 'answer') })
        tile('worker-class', function () {
          class Own extends Worker { constructor() { super('worker.js') } hello() { return asked(this, 'hello') } }
          return new Own().hello()
        })
        tile('worker-blob-early', function () {
          var url = URL.createObjectURL(new Blob(['(' + function () { onmessage = function () { eval('postMessage(this === self)') } } + ')()']))
          var worker = new Worker(url)
          URL.revokeObjectURL(url)
          return asked(worker, 'hello')
        })
        tile('worker-data', function () { return asked(new Worker('data:text/javascript,onmessage=function(){postMessage(true)}'), 'hello') })
        function module() { return new Worker(new URL('parts/../worker-module.js', location.href), { type: 'module' }) }
        tile('module-place', function () { return asked(module(), 'place') })
        tile('module-fetches', function () { return asked(module(), 'fetch') })
        tile('module-dynamic', function () { return asked(module(), 'dynamic') })
        tile('module-rooted', function () { return asked(module(), 'rooted') })
        function connected(url, options) {
          var port = new SharedWorker(url, options).port
          return new Promise(function (resolve) {
            port.onmessage = function (event) { resolve(event.data) }
            port.postMessage('hello')
          })
        }
        tile('shared', function () { return connected('shared.js').then(function (count) { return count >= 1 || count }) })
        tile('shared-twice', function () {
          return connected('shared.js', 'twice').then(function (first) {
            return connected('/script/shared.js', 'twice').then(function (second) { return '' + first + second === '12' || first + ' ' + second })
          })
        })
        tile('shared-module', function () {
          return connected('shared-module.js', { type: 'module', name: 'm' }).then(function (text) { return text === 'part' || text })
        })
        tile('shared-named', function () { return connected('shared-place.js', 'the name') })`,
    }),
    'museum/script/worker.js': script(`onmessage = function (event) {
      if (event.data === 'hello') postMessage(true)
      if (event.data === 'place') postMessage(location.pathname === '/script/worker.js' || location.href)
      if (event.data === 'import') { importScripts('worker-part.js'); postMessage(fromPart) }
      if (event.data === 'import-self') { importScripts('/script/parts/worker-self.js', 'worker-part.js'); postMessage(fromSelf) }
      if (event.data === 'dynamic') import('./parts/part.js').then(function (m) { postMessage(m.value === 'part') },
        function (error) { postMessage(String(error)) })
      if (event.data === 'nested') {
        var inner = new Worker('worker.js')
        inner.onmessage = function (event) { postMessage(event.data) }
        inner.postMessage('import-self')
      }
      if (event.data === 'answer') fetch('data.json').then(function (a) { postMessage(a.url === new URL('data.json', location).href || a.url) })
      if (event.data === 'fetch') fetch('/script/data.json').then(function (a) { return a.json() }).then(
        function (data) { postMessage(data.ok) }, function (error) { postMessage(String(error)) })
    }`),
    'museum/script/worker-part.js': script('fromPart = true'),
    'museum/script/worker-module.js': script(
      `import { value } from './parts/part.js'
      import { value as rooted } from '/script/parts/part.js'
      const work = {
        hello: () => value === 'part',
        place: () => location.pathname + location.origin === '/script/worker-module.js' + self.origin || location.href,
        fetch: async () => (await (await fetch('data.json')).json()).ok && (await fetch('/script/data.json')).status === 200,
        dynamic: async () => (await import('./parts/' + 'part.js')).value === 'part' && import.meta.url === location.href,
        rooted: () => rooted === 'part',
      }
      onmessage = async ({ data }) => {
        try { postMessage(await work[data]()) } catch (error) { postMessage(String(error)) }
      }`,
    ),
    'museum/script/parts/worker-self.js': script(
      "self.fromSelf = self === this && self.location.pathname === '/script/worker.js' && typeof window === 'undefined'",
    ),
    'museum/script/shared.js': script(`var count = 0
      onconnect = function (event) {
        var port = event.ports[0]
        count++
        port.onmessage = function () { port.postMessage(count) }
      }`),
    'museum/script/shared-module.js': script(`import { value } from './parts/part.js'
      addEventListener('connect', ({ ports: [port] }) => {
        port.onmessage = () => port.postMessage(value)
      })`),
    'museum/script/shared-place.js': script(`self.addEventListener('connect', function (event) {
        event.source.onmessage = function () {
          event.source.postMessage(name === 'the name' && location.pathname === '/script/shared-place.js' &&
            self instanceof SharedWorkerGlobalScope || name + location)
        }
      })`),
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
