// Attempts by what a browser does for a page beside loading it: hints, reports, connections, services of its own.
//
// Many of these this browser does not do, or only over https, or only when it feels like it: they are tried all the same.

import { type Escape, type Surroundings, trials } from './escape.ts'

export function serviceEscapes(around: Surroundings): Escape[] {
  return [...byHint(around), ...byReport(around), ...byService(around), ...byConnection(around)]
}

function byHint(around: Surroundings): Escape[] {
  const { live } = around
  const at = (name: string, ending = '.html') => `${live}/caught/${name}${ending}`
  const link = (relation: string, name: string, ending: string) => ({
    head: `<link ${relation} href="${at(name, ending)}">`,
    isRare: true,
  })
  const rules = (kind: string, name: string) =>
    `{ "${kind}": [{ "source": "list", "urls": ["${at(name)}"], "eagerness": "immediate" }] }`
  return trials(around, {
    'hint-preconnect': link('rel="preconnect"', 'hint-preconnect', ''),
    'hint-name': link('rel="dns-prefetch"', 'hint-name', ''),
    'hint-prerender': link('rel="prerender"', 'hint-prerender', '.html'),
    'hint-next': link('rel="next prefetch"', 'hint-next', '.html'),
    'hint-icon': link('rel="icon"', 'hint-icon', '.png'),
    'hint-touch-icon': link('rel="apple-touch-icon"', 'hint-touch-icon', '.png'),
    'hint-manifest': link('rel="manifest"', 'hint-manifest', '.json'),
    'hint-dictionary': link('rel="compression-dictionary"', 'hint-dictionary', '.txt'),
    'hint-search': link('rel="search" type="application/opensearchdescription+xml"', 'hint-search', '.xml'),
    'hint-set': { head: `<link rel="preload" as="image" imagesrcset="${at('hint-set', '.png')} 1x">` },
    'hint-style': { head: `<link rel="preload" as="style" href="${at('hint-style', '.css')}">` },
    'hint-font': { head: `<link rel="preload" as="font" crossorigin href="${at('hint-font', '.woff2')}">` },
    'hint-fetch': { head: `<link rel="preload" as="fetch" crossorigin href="${at('hint-fetch', '.json')}">` },
    'hint-preconnect-made': {
      script: `
        var link = document.createElement('link')
        link.rel = 'preconnect'
        link.href = caught()
        document.head.appendChild(link)`,
      isRare: true,
    },
    'speculation-prefetch': {
      head: `<script type="speculationrules">${rules('prefetch', 'speculation-prefetch')}</script>`,
      isRare: true,
    },
    'speculation-prerender': {
      head: `<script type="speculationrules">${rules('prerender', 'speculation-prerender')}</script>`,
      isRare: true,
    },
    'speculation-made': {
      script: `
        var rules = document.createElement('script')
        rules.type = 'speculationrules'
        rules.textContent = '${rules('prefetch', 'speculation-made')}'
        document.head.appendChild(rules)`,
      isRare: true,
    },
    'speculation-header': { headers: { 'Speculation-Rules': `"${at('speculation-header', '.json')}"` } },
    'link-header-connect': {
      headers: { Link: `<${at('link-header-connect', '')}>; rel=preconnect` },
      isRare: true,
    },
    'link-header-module': { headers: { Link: `<${at('link-header-module', '.js')}>; rel=modulepreload` } },
    'link-header-prefetch': {
      headers: { Link: `<${at('link-header-prefetch')}>; rel=prefetch` },
      isRare: true,
    },
    'link-header-style': { headers: { Link: `<${at('link-header-style', '.css')}>; rel=preload; as=style` } },
  })
}

function byReport(around: Surroundings): Escape[] {
  const endpoint = (name: string) => `${around.live}/caught/${name}`
  return trials(around, {
    'report-endpoint': {
      headers: {
        'Reporting-Endpoints': `default="${endpoint('report-endpoint')}"`,
        'Content-Security-Policy-Report-Only': "img-src 'none'; report-to default",
      },
      body: '<img src="/escape/report-endpoint/picture.png">',
      isRare: true,
    },
    'report-enforced': {
      headers: { 'Content-Security-Policy': `img-src 'none'; report-uri ${endpoint('report-enforced')}` },
      body: '<img src="/escape/report-enforced/picture.png">',
    },
    'report-network': {
      headers: {
        'Report-To': `{"group":"x","max_age":99,"endpoints":[{"url":"${endpoint('report-network')}"}]}`,
        NEL: '{"report_to":"x","max_age":99,"success_fraction":1}',
      },
      isRare: true,
    },
    'report-policy': {
      headers: {
        'Reporting-Endpoints': `default="${endpoint('report-policy')}"`,
        'Document-Policy-Report-Only': 'sync-xhr=?0; report-to=default',
        'Cross-Origin-Opener-Policy-Report-Only': 'same-origin; report-to="default"',
        'Cross-Origin-Embedder-Policy-Report-Only': 'require-corp; report-to="default"',
        'Permissions-Policy-Report-Only': 'geolocation=()',
      },
      script: 'navigator.geolocation.getCurrentPosition(function () {}, function () {})',
      isRare: true,
    },
    'report-attribution': {
      body: `<img attributionsrc="${endpoint('report-attribution')}" src="data:,">`,
      isRare: true,
    },
    'report-leaving': {
      script: `
        addEventListener('pagehide', function () { navigator.sendBeacon(caught(), 'x') })
        if (performance.getEntriesByType('navigation')[0].type !== 'reload') setTimeout(function () { location.reload() }, 400)`,
    },
    'report-later': {
      script: `
        fetchLater(caught(), { activateAfter: 0 })
        if (performance.getEntriesByType('navigation')[0].type !== 'reload') setTimeout(function () { location.reload() }, 400)`,
      isRare: true,
    },
  })
}

function byService(around: Surroundings): Escape[] {
  const secure = around.live.replace('http:', 'https:')
  return trials(around, {
    'request-sync': `
      var request = new XMLHttpRequest()
      request.open('GET', caught(), false)
      request.send()`,
    'request-document': `
      var request = new XMLHttpRequest()
      request.open('POST', caught())
      request.responseType = 'document'
      request.send('x')`,
    'fetch-cors': "fetch(caught(), { headers: { 'X-Own': 'x' } }).catch(function () {})",
    'fetch-from-prototype': 'Function.prototype.call.call(fetch, window, caught(), { mode: "no-cors" })',
    'worklet-audio': {
      script: "new AudioContext().audioWorklet.addModule(caught('.js')).catch(function () {})",
    },
    'worklet-audio-import': `
      var module = URL.createObjectURL(new Blob(['import "' + caught('.js') + '"'], { type: 'text/javascript' }))
      new AudioContext().audioWorklet.addModule(module).catch(function () {})`,
    payment: {
      script: `
        new PaymentRequest([{ supportedMethods: '${secure}/caught/payment' }], { total: { label: 'x', amount: { currency: 'EUR', value: '1' } } }).canMakePayment().catch(function () {})`,
      isRare: true,
    },
    identity: {
      script: `
        navigator.credentials.get({ identity: { providers: [{ configURL: '${secure}/caught/identity.json', clientId: 'x' }] } }).catch(function () {})`,
      isRare: true,
    },
    notification: { script: "new Notification('x', { icon: caught('.png') })", isRare: true },
    'media-session': {
      script:
        "navigator.mediaSession.metadata = new MediaMetadata({ title: 'x', artwork: [{ src: caught('.png') }] })",
      isRare: true,
    },
    'background-fetch': {
      script: `
        navigator.serviceWorker.ready.then(function (registration) { registration.backgroundFetch.fetch('x', [caught()]) })`,
      isRare: true,
    },
    'protocol-handler': { script: "navigator.registerProtocolHandler('web+x', caught('?%s'))", isRare: true },
    'navigate-by-interface': 'navigation.navigate(caught())',
    'frame-location': 'fresh().location = caught()',
    'frame-location-assign': 'fresh().location.assign(caught())',
    'open-named': "window.open(caught(), 'other', 'noopener')",
    'form-get': `
      document.body.innerHTML = '<form id=f><input name=a value=b></form>'
      document.getElementById('f').action = caught()
      document.getElementById('f').submit()`,
    'history-back': `
      history.pushState({}, '', '#x')
      location.replace(caught())`,
    'portal-element': {
      body: `<portal src="${around.live}/caught/portal-element.html"></portal>`,
      isRare: true,
    },
    'fenced-frame': {
      script: `
        var frame = document.createElement('fencedframe')
        frame.config = new FencedFrameConfig(caught())
        document.body.appendChild(frame)`,
      isRare: true,
    },
    'old-applet': {
      body: `<applet code="x" archive="${around.live}/caught/old-applet.jar"></applet><bgsound src="${around.live}/caught/old-applet.wav">`,
      isRare: true,
    },
  })
}

function byConnection(around: Surroundings): Escape[] {
  const { datagramPort, connectionPort } = around
  const { hostname } = new URL(around.live === '' ? 'http://127.0.0.1' : around.live)
  const offer = `
    connection.createDataChannel('x')
    connection.createOffer().then(function (offer) { return connection.setLocalDescription(offer) })`
  const turn = (name: string, transport: string, port: number, scheme = 'turn') => `
    var connection = new RTCPeerConnection({ iceServers: [{ urls: '${scheme}:${transport === 'udp' ? '127.0.0.1' : hostname}:${port}?transport=${transport}', username: '${name}', credential: 'x' }] })
    ${offer}`
  return trials(around, {
    'turn-connection-datagram': turn('x', 'udp', datagramPort('turn-connection-datagram')),
    'turn-stream': turn('x', 'tcp', connectionPort('turn-stream')),
    'turn-stream-secure': turn('x', 'tcp', connectionPort('turn-stream-secure'), 'turns'),
    'turn-stream-fresh': `
      var RTCPeerConnection = fresh().RTCPeerConnection
      ${turn('x', 'tcp', connectionPort('turn-stream-fresh'))}`,
    'peer-connection-candidate': `
      var one = new RTCPeerConnection(), other = new RTCPeerConnection()
      one.createDataChannel('x')
      one.createOffer().then(function (offer) { return one.setLocalDescription(offer) })
        .then(function () { return other.setRemoteDescription(one.localDescription) })
        .then(function () { return other.createAnswer() })
        .then(function (answer) { return other.setLocalDescription(answer) })
        .then(function () { return one.setRemoteDescription(other.localDescription) })
        .then(function () {
          return one.addIceCandidate({ candidate: 'candidate:1 1 udp 2130706431 127.0.0.1 ${datagramPort('peer-connection-candidate')} typ host', sdpMid: '0', sdpMLineIndex: 0 })
        })`,
    'socket-stream': {
      script: `new WebSocketStream('${around.live.replace('http', 'ws')}/caught/socket-stream')`,
      isRare: true,
    },
    'socket-secure': {
      script: `new WebSocket('wss://${hostname}:${connectionPort('socket-secure')}/caught')`,
    },
    'fetch-secure': `fetch('https://${hostname}:${connectionPort('fetch-secure')}/caught', { mode: 'no-cors' }).catch(function () {})`,
  })
}
