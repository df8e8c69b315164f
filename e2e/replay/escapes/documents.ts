// Attempts by documents and workers that a page makes itself: they may start with fresh functions and other rules.

import { script, svg } from '../files.ts'
import { type Escape, type Surroundings, trial, trials } from './escape.ts'

export function documentEscapes(around: Surroundings): Escape[] {
  return [...byFrame(around), ...byWorker(around), ...byDrawing(around)]
}

/** A text within a script within a page. */
const quoted = (text: string) => JSON.stringify(text).replaceAll('</', '<\\/')

function byFrame(around: Surroundings): Escape[] {
  const fetching = (name: string) =>
    quoted(`<script>fetch('${around.live}/caught/${name}', { mode: 'no-cors' })</script>`)
  const connecting = (name: string) =>
    quoted(
      `<script>var c = new RTCPeerConnection({ iceServers: [{ urls: 'stun:127.0.0.1:${around.datagramPort(name)}' }] }); c.createDataChannel('x'); c.createOffer().then(function (o) { c.setLocalDescription(o) })</script>`,
    )
  const leaving = (name: string) =>
    quoted(`<script>top.location = '${around.live}/caught/${name}.html'</script>`)
  return trials(around, {
    'text-frame': {
      body: `<iframe srcdoc="<img src='${around.live}/caught/text-frame.png'>"></iframe>`,
    },
    'text-frame-made': `
      var frame = document.createElement('iframe')
      frame.srcdoc = ${fetching('text-frame-made')}
      document.body.appendChild(frame)`,
    'text-frame-node': `
      var frame = document.createElement('iframe')
      var attribute = document.createAttribute('srcdoc')
      attribute.value = ${fetching('text-frame-node')}
      frame.setAttributeNode(attribute)
      document.body.appendChild(frame)`,
    'text-frame-connection': `
      var frame = document.createElement('iframe')
      var attribute = document.createAttribute('srcdoc')
      attribute.value = ${connecting('text-frame-connection')}
      frame.setAttributeNode(attribute)
      document.body.appendChild(frame)`,
    'blob-frame': `
      var text = ${fetching('blob-frame')}
      var frame = document.createElement('iframe')
      frame.src = URL.createObjectURL(new Blob([text], { type: 'text/html' }))
      document.body.appendChild(frame)`,
    'blob-frame-connection': `
      var text = ${connecting('blob-frame-connection')}
      var frame = document.createElement('iframe')
      frame.src = URL.createObjectURL(new Blob([text], { type: 'text/html' }))
      document.body.appendChild(frame)`,
    'blob-frame-top': `
      var text = ${leaving('blob-frame-top')}
      var frame = document.createElement('iframe')
      frame.src = URL.createObjectURL(new Blob([text], { type: 'text/html' }))
      document.body.appendChild(frame)`,
    'data-frame': `
      var frame = document.createElement('iframe')
      frame.src = 'data:text/html,' + encodeURIComponent(${fetching('data-frame')})
      document.body.appendChild(frame)`,
    'data-frame-connection': `
      var frame = document.createElement('iframe')
      frame.src = 'data:text/html,' + encodeURIComponent(${connecting('data-frame-connection')})
      document.body.appendChild(frame)`,
    'sandboxed-frame': `
      var frame = document.createElement('iframe')
      frame.setAttribute('sandbox', 'allow-scripts allow-top-navigation allow-popups')
      frame.srcdoc = ${leaving('sandboxed-frame')}
      document.body.appendChild(frame)`,
    'written-document': `
      document.open()
      document.write(${fetching('written-document')})
      document.close()`,
  })
}

function byWorker(around: Surroundings): Escape[] {
  const { live } = around
  const worker = (name: string, text: string, kind = 'new Worker'): Escape => ({
    name,
    page: trial(around, name, { script: `${kind}('/escape/${name}/worker.js')` }),
    parts: { '/worker.js': script(text) },
  })
  return [
    worker('worker-fetch', `fetch('${live}/caught/worker-fetch', { mode: 'no-cors' })`),
    worker('worker-import', `importScripts('${live}/caught/worker-import.js')`),
    worker('worker-socket', `new WebSocket('${live.replace('http', 'ws')}/caught/worker-socket')`),
    worker('shared-worker', `fetch('${live}/caught/shared-worker', { mode: 'no-cors' })`, 'new SharedWorker'),
    worker(
      'worker-nested',
      `new Worker(URL.createObjectURL(new Blob(["fetch('${live}/caught/worker-nested', { mode: 'no-cors' })"])))`,
    ),
    ...trials(around, {
      'worker-blob': `
        var text = 'fetch("' + caught() + '", { mode: "no-cors" })'
        new Worker(URL.createObjectURL(new Blob([text])))`,
      'worker-blob-import': `
        var text = 'importScripts("' + caught('.js') + '")'
        new Worker(URL.createObjectURL(new Blob([text])))`,
      'worker-data': `new Worker('data:text/javascript,' + encodeURIComponent('fetch("' + caught() + '", { mode: "no-cors" })'))`,
      'worker-module': `
        var text = 'import "' + caught('.js') + '"'
        new Worker(URL.createObjectURL(new Blob([text], { type: 'text/javascript' })), { type: 'module' })`,
    }),
    {
      name: 'service-worker',
      page: trial(around, 'service-worker', {
        script:
          "navigator.serviceWorker.register('/escape/service-worker/worker.js', { scope: '/escape/service-worker/' })",
      }),
      parts: { '/worker.js': script('onfetch = function () {}', { 'Service-Worker-Allowed': '/' }) },
    },
  ]
}

function byDrawing(around: Surroundings): Escape[] {
  const drawing = (name: string, inside: string): Escape => ({
    name,
    page: svg(`<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" width="99" height="99">
      <script>setTimeout(function () { document.documentElement.setAttribute('data-tried', 'yes') }, 300)</script>${inside}</svg>`),
  })
  const target = (name: string, ending = '.html') => `${around.live}/caught/${name}${ending}`
  return [
    drawing('drawing-script', `<script>fetch('${target('drawing-script')}', { mode: 'no-cors' })</script>`),
    drawing('drawing-top', `<script>window.top.location.href = '${target('drawing-top')}'</script>`),
    drawing('drawing-image', `<image width="9" height="9" xlink:href="${target('drawing-image', '.png')}"/>`),
    drawing('drawing-style', `<style>@import url(${target('drawing-style', '.css')});</style>`),
    drawing('drawing-source', `<script xlink:href="${target('drawing-source', '.js')}"/>`),
    {
      name: 'xml-style',
      page: {
        headers: { 'Content-Type': 'application/xml' },
        body: `<?xml version="1.0"?><?xml-stylesheet type="text/css" href="${target('xml-style', '.css')}"?><a data-tried="yes">x</a>`,
      },
    },
  ]
}
