// What is imported at one real peer is with the others soon, as what is crawled is: every peer finds its words, also one that keeps no
// index of its own.

import assert from 'node:assert/strict'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { onTestFinished, test } from 'vitest'
import { SimulatedRandom } from '../../src/platform/simulated/random.ts'
import { foreignRecord } from '../../src/store/fixtures/archive-source.ts'
import { runWords } from '../ring/peer-process.ts'
import { healed } from './health.ts'
import { NetworkOfPeers } from './network-of-peers.ts'
import { until } from './until.ts'

const minutes = 60_000
const pages = 120
const sites = 12
const withoutIndex = 3

test(
  'what is imported at one peer is found at all of them, without waiting for the next comparison',
  async () => {
    const words = ['--copies', '3', '--allow-address', '127.0.0.0/8', '--set', 'rank.maxAge=0s']
    const plan = {
      peers: 4,
      words,
      wordsOf: (number: number) => (number === withoutIndex ? ['--set', 'search.index=no'] : []),
    }
    const network = await NetworkOfPeers.start(plan, new SimulatedRandom('imports'))
    onTestFinished(() => network.removeFolder())
    await healed(network)
    const file = join(network.folder, 'imported.warc.gz')
    await writeFile(file, Buffer.concat(Array.from({ length: pages }, (_, number) => recordOf(number))))
    await runWords(['import', file, '--quiet', '--home', network.peers[0]!.home])
    for (const peer of network.peers) {
      await until(`all imported pages to be found at ${peer.name}`, async () => {
        const { total, partial } = await peer.ask<{ total: number; partial: boolean }>(
          '/api/v1/search?q=lavender',
        )
        return (total === pages && !partial) || `${total} pages, partial: ${partial}`
      })
    }
    // And are in copies: whoever imported them may go.
    await network.peers[0]!.kill()
    for (const peer of network.answering) {
      await until(`all of them to be found at ${peer.name} without the importer`, async () => {
        const { total } = await peer.ask<{ total: number }>('/api/v1/search?q=lavender')
        return total === pages || `${total} pages`
      })
    }
    assert.deepEqual(network.faults, [])
  },
  20 * minutes,
)

function recordOf(number: number): Buffer {
  const html = `<title>Page ${number}</title><p>Lavender number ${number} grows here.`
  return foreignRecord(
    'response',
    {
      'WARC-Target-URI': `http://site-${number % sites}.example/page-${number}`,
      'WARC-Date': '2024-01-01T00:00:00Z',
      'WARC-Record-ID': `<urn:uuid:00000000-0000-4000-8000-${String(number).padStart(12, '0')}>`,
      'Content-Type': 'application/http; msgtype=response',
    },
    `HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: ${html.length}\r\n\r\n${html}`,
  )
}
