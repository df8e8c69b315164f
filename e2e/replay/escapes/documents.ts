// Attempts by documents and workers that a page makes itself: they may start with fresh functions and other rules.

import { script, svg } from '../files.ts'
import { type Escape, type Surroundings, trial, trials } from './escape.ts'

export function documentEscapes(around: Surroundings): Escape[] {
  return [...byFrame(around), ...byRawFrame(around), ...byWorker(around), ...byDrawing(around)]
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
    'text-frame-shadow': `
      document.body.innerHTML = '<p></p>'
      var shadow = document.querySelector('p').attachShadow({ mode: 'closed' })
      shadow.innerHTML = '<iframe></iframe>'
      var attribute = document.createAttribute('srcdoc')
      attribute.value = ${connecting('text-frame-shadow')}
      shadow.firstChild.setAttributeNode(attribute)`,
    'text-frame-declared': `
      var inner = ${connecting('text-frame-declared')}.replaceAll('"', '&quot;')
      document.body.setHTMLUnsafe('<p><template shadowrootmode=closed><iframe srcdoc="' + inner + '"></iframe></template></p>')`,
    'text-frame-sly': `
      var exec = RegExp.prototype.exec, startsWith = String.prototype.startsWith, all = Document.prototype.querySelectorAll
      setTimeout(function () {
        RegExp.prototype.exec = exec
        String.prototype.startsWith = startsWith
        Document.prototype.querySelectorAll = all
      }, 100)
      RegExp.prototype.exec = function () { return null }
      String.prototype.startsWith = function () { return true }
      Document.prototype.querySelectorAll = function () { return [] }
      var frame = document.createElement('iframe')
      var attribute = document.createAttribute('srcdoc')
      attribute.value = ${connecting('text-frame-sly')}
      frame.setAttributeNode(attribute)
      document.body.appendChild(frame)`,
    'text-frame-written': `
      document.write('<iframe srcdoc="' + ${connecting('text-frame-written')}.replaceAll('"', '&quot;') + '"></iframe>')
      document.close()`,
    'text-frame-written-hidden': `
      var inner = ${connecting('text-frame-written-hidden')}.replaceAll('"', '&quot;')
      document.write('<p><template shadowroot')
      document.write('mode=closed><iframe srcdoc="' + inner + '"></iframe></template></p>')
      document.close()`,
    'text-frame-inner': `
      document.body.innerHTML = '<iframe srcdoc="' + ${connecting('text-frame-inner')}.replaceAll('"', '&quot;') + '"></iframe>'`,
    'text-frame-parsed': `
      var text = '<iframe srcdoc="' + ${connecting('text-frame-parsed')}.replaceAll('"', '&quot;') + '"></iframe>'
      document.body.appendChild(new DOMParser().parseFromString(text, 'text/html').querySelector('iframe'))`,
    'text-frame-commented': `
      var frame = document.createElement('iframe')
      var attribute = document.createAttribute('srcdoc')
      attribute.value = '<!-- ' + (document.querySelector('script[data-polyhistor]') || document.body).outerHTML + ' -->' + ${connecting('text-frame-commented')}
      frame.setAttributeNode(attribute)
      document.body.appendChild(frame)`,
    'script-url-connection': `
      var frame = document.createElement('iframe')
      var attribute = document.createAttribute('src')
      attribute.value = 'javascript:' + JSON.stringify(${connecting('script-url-connection')})
      frame.setAttributeNode(attribute)
      document.body.appendChild(frame)`,
    'object-connection': `
      var object = document.createElement('object')
      object.type = 'text/html'
      object.data = 'data:text/html,' + encodeURIComponent(${connecting('object-connection')})
      document.body.appendChild(object)`,
    'embed-connection': `
      var embed = document.createElement('embed')
      embed.type = 'text/html'
      embed.src = URL.createObjectURL(new Blob([${connecting('embed-connection')}], { type: 'text/html' }))
      document.body.appendChild(embed)`,
    'written-document': `
      document.open()
      document.write(${fetching('written-document')})
      document.close()`,
  })
}

/** A page of their own, asked for as something else, or as it was archived: with the true address, from a stack. */
function byRawFrame(around: Surroundings): Escape[] {
  const raw = (name: string, modifier: string, type: string): Escape => ({
    name,
    page: trial(around, name, {
      script: `
        var own = location.origin + '/escape/${name}/inner'
        var place = /https?:\\/\\/[^\\s()]*?\\/web\\/\\d+/.exec(new Error().stack)
        var attribute = document.createAttribute('src')
        attribute.value = place === null ? own : place[0] + '${modifier}/' + own
        var frame = document.createElement('iframe')
        frame.setAttributeNode(attribute)
        document.body.appendChild(frame)`,
    }),
    parts: {
      '/inner': {
        headers: { 'Content-Type': type },
        body: `<html xmlns="http://www.w3.org/1999/xhtml"><body><script>var c = new RTCPeerConnection({ iceServers: [{ urls: 'stun:127.0.0.1:${around.datagramPort(name)}' }] }); c.createDataChannel('x'); c.createOffer().then(function (o) { c.setLocalDescription(o) })</script></body></html>`,
      },
    },
  })
  const modifiers = ['id_', 'im_', 'js_', 'esm_', 'cs_', 'oe_', 'wkr_', 'wkrf_', 'if_']
  return [
    ...modifiers.map((modifier) =>
      raw(`raw-frame-connection-${modifier.slice(0, -1)}`, modifier, 'text/html'),
    ),
    raw('raw-frame-connection-xml', 'mp_', 'application/xml'),
  ]
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
      'worker-transport': `
        var text = 'new WebTransport("https://127.0.0.1:${around.datagramPort('worker-transport')}/")'
        new Worker(URL.createObjectURL(new Blob([text])))`,
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
