// A member that asks a real peer, spoilt and whole, to dial where it wants: the peer goes on, and dials nobody.

import assert from 'node:assert/strict'
import { createServer } from 'node:net'
import { onTestFinished, test } from 'vitest'
import { until } from '../../../fixtures/until.ts'
import { SimulatedRandom } from '../../../simulated/random.ts'
import { patientLimits } from '../../fixtures/patient-limits.ts'
import { RawPeer, RawStream } from '../../fixtures/raw-peer.ts'
import { frame } from '../frames.ts'
import { startNetwork } from '../network.ts'
import { askReach } from './reach-calls.ts'
import { type ReachQuestion, reachQuestion } from './reach-messages.ts'

const protocol = '/polyhistor/reach/1'
const spoiltCount = 30

/** Counts who knocks. */
async function door(): Promise<{ readonly port: number; knocks: number }> {
  const counted = { port: 0, knocks: 0 }
  const server = createServer((socket) => {
    counted.knocks++
    socket.destroy()
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void server.close())
  counted.port = (server.address() as { port: number }).port
  return counted
}

async function admitted() {
  const reach = { portMapping: false, relays: true, holePunching: true, relaying: undefined }
  const network = await startNetwork({ listen: ['/ip4/127.0.0.1/tcp/0'], ...patientLimits, reach })
  onTestFinished(() => network.close())
  const member = await RawPeer.start()
  onTestFinished(() => member.stop())
  const greeting = await member.greet(network.addresses()[0]!)
  await until('the welcome', () => greeting.received.length > 0)
  return { network, connection: greeting.connection }
}

test('spoilt and whole questions of how peers are reached end nothing, and have nobody dialled', async () => {
  const { connection } = await admitted()
  const { signal } = new AbortController()
  const target = await door()
  const addresses = [
    `/ip4/127.0.0.1/tcp/${target.port}`,
    `/ip6/::ffff:127.0.0.1/tcp/${target.port}`,
    `/dns4/localhost/tcp/${target.port}`,
  ]
  const questions: ReachQuestion[] = [
    { kind: 'seen' },
    { kind: 'callBack', ports: [target.port] },
    { kind: 'prepare', addresses },
    { kind: 'go', addresses },
    { kind: 'moved', addresses: ['', 'nonsense', ...addresses] },
  ]
  for (const question of questions) await askReach(connection, question, signal).catch(() => undefined)
  const random = new SimulatedRandom('reach')
  for (let count = 0; count < spoiltCount; count++) {
    const bytes = Buffer.from(reachQuestion.encode(questions[count % questions.length]!))
    for (let changes = random.below(4); changes >= 0; changes--)
      bytes[random.below(bytes.length)] = random.below(256)
    const cut = random.below(4) === 0 ? bytes.subarray(0, 1 + random.below(bytes.length)) : bytes
    const stream = new RawStream(await connection.newStream(protocol), connection)
    stream.stream.send(frame([cut]))
    await stream.stream.close().catch(() => undefined)
    await stream.ended()
  }
  const { seen } = await askReach(connection, { kind: 'seen' }, signal)
  assert.match(seen, /^\/ip4\/127\.0\.0\.1\/tcp\/\d+/)
  assert.equal(target.knocks, 0)
})

test('who was not admitted is not answered', async () => {
  const { network } = await admitted()
  const stranger = await RawPeer.start()
  onTestFinished(() => stranger.stop())
  const connection = await stranger.dial(network.addresses()[0]!)
  await assert.rejects(askReach(connection, { kind: 'seen' }, new AbortController().signal))
})
