// Scripts: what they load, what they ask about where they are, their workers and their frames.

import { html, script, tiles } from '../files.ts'
import type { Answers, OriginOf } from '../origin-web.ts'
import { scriptTiles } from '../tile-page.ts'
import { scriptLoading } from './script-loading-site.ts'
import { scriptPlace } from './script-place-site.ts'

export const scriptPages = [
  'museum/script/',
  'museum/script/place',
  'museum/script/workers',
  'museum/script/frames',
]

export function scriptSite(origin: OriginOf): Answers {
  return { ...scriptLoading(origin), ...scriptPlace(origin), ...workers(), ...frames(origin) }
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
