// The browser's own account can be relied on: whatever leaves is in it.

import assert from 'node:assert/strict'
import { onTestFinished, test } from 'vitest'
import { until } from '../../src/platform/fixtures/until.ts'
import { TestBrowser } from './browser.ts'
import { html } from './files.ts'
import { beyond } from './net-log.ts'
import { OriginWeb } from './origin-web.ts'
import { Witness } from './witness.ts'

test('requests, sockets, refused connections and datagrams are all seen, and only they', async () => {
  const witness = await Witness.start()
  onTestFinished(() => witness.stop())
  const datagramPort = await witness.listenForDatagrams()
  const gone = await Witness.start()
  await gone.stop()
  const page = `<!doctype html><title>leaky</title><script>
    fetch('http://live.test/fetched', { mode: 'no-cors' })
    fetch('http://192.0.2.1/literal', { mode: 'no-cors' })
    fetch('http://${gone.address}/refused', { mode: 'no-cors' }).catch(function () {})
    fetch('https://secure.test/', { mode: 'no-cors' }).catch(function () {})
    new WebSocket('ws://socket.test/')
    var connection = new RTCPeerConnection({ iceServers: [{ urls: 'stun:127.0.0.1:${datagramPort}' }] })
    connection.createDataChannel('x')
    connection.createOffer().then(function (offer) { return connection.setLocalDescription(offer) })
  </script>`
  const web = await OriginWeb.start(() => ({
    'quiet/': html('<!doctype html><title>quiet'),
    'leaky/': html(page),
  }))
  onTestFinished(() => web.stop())
  const visit = async (place: string, isDone: () => boolean) => {
    const browser = await TestBrowser.start(witness.address)
    onTestFinished(() => browser.dispose())
    await browser.visit(async (tab) => {
      await tab.goto(web.url(place))
      await until('what the page asks for', isDone, 20)
    })
    const { host, port } = new URL(web.url(place))
    return beyond(await browser.stop(), [host], Number(port))
  }
  assert.deepEqual(await visit('quiet/', () => true), [])
  const seen = await visit('leaky/', () => witness.requests.length >= 3 && witness.datagramPorts.size === 1)
  for (const expected of [
    'request http://live.test/fetched',
    'request http://192.0.2.1/literal',
    'request ws://socket.test/',
    'connection https://secure.test',
    `attempt ${gone.address}`,
    `datagram 127.0.0.1:${datagramPort}`,
  ])
    assert.ok(seen.includes(expected), `${expected} is not in ${seen.join(', ')}`)
})
