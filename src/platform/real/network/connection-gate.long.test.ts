import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { describe, onTestFinished, test } from 'vitest'
import { until } from '../../fixtures/until.ts'
import { patientLimits } from '../fixtures/patient-limits.ts'
import { type NetworkOptions, type RealNetwork, startNetwork } from './network.ts'

async function started(options: Partial<NetworkOptions> = {}): Promise<RealNetwork> {
  const network = await startNetwork({ listen: ['/ip4/0.0.0.0/tcp/0'], ...patientLimits, ...options })
  onTestFinished(() => network.close())
  return network
}

/** Connects from this address of the machine, and says only this, if anything. */
async function silent(network: RealNetwork, from: string, words?: string): Promise<Socket> {
  const port = Number(/\/tcp\/(\d+)/.exec(network.addresses()[0]!)![1])
  const socket = connect({ port, host: '127.0.0.1', localAddress: from })
  onTestFinished(() => void socket.destroy())
  // Being cut off is what it must expect.
  socket.on('error', () => {})
  await once(socket, 'connect')
  if (words !== undefined) socket.write(words)
  return socket
}

async function assertLetsIn(network: RealNetwork): Promise<void> {
  const newcomer = await started()
  const address = network.addresses().find((one) => one.startsWith('/ip4/127.'))!
  assert.equal(await newcomer.meet(address), network.self)
}

describe('connections that say nothing, or nonsense', () => {
  test('80 of one address do not keep newcomers from it out', async () => {
    const network = await started()
    for (let count = 0; count < 80; count++) await silent(network, '127.0.0.1')
    await assertLetsIn(network)
  })

  test('hundreds of many addresses do not either, and are cut off themselves', async () => {
    const network = await started({ connectionsPendingMax: 40, pendingMsMax: 20_000 })
    const sockets: Socket[] = []
    for (let count = 0; count < 300; count++) {
      const from = `127.0.0.${2 + (count % 30)}`
      sockets.push(await silent(network, from, count % 2 === 0 ? undefined : 'GET / HTTP/1.1\r\n\r\n'))
      if (count % 100 === 99) await assertLetsIn(network)
    }
    const open = (): number =>
      sockets.filter(({ destroyed, readableEnded }) => !destroyed && !readableEnded).length
    await until('no more than 40 open connections', () => open() <= 40)
  })

  test('are cut off when they have waited for long', async () => {
    const network = await started({ pendingMsMax: 300 })
    const socket = await silent(network, '127.0.0.1')
    await new Promise((resolve) => socket.once('close', resolve))
  })
})
