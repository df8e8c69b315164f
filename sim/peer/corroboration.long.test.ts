// Pages that another peer fetches again, and what readers are told of it.

import assert from 'node:assert/strict'
import { test } from 'vitest'
import type { NetworkStatus } from '../../src/model/peer-status.ts'
import { WholeNetwork } from './whole-network.ts'

/** A busy machine takes several times as long: this only catches what hangs. */
const hangMs = 300_000
const delayMs = 1_000

interface Told {
  readonly state: string
  readonly by: string
  readonly seen: readonly { readonly by: string; readonly verdict: string }[]
}

test(
  'readers of any peer are told who saw a page alike and who saw something else; audits find everybody honest',
  async () => {
    const network = await WholeNetwork.start({
      ...{ seed: 'corroboration', peers: 3, delayMs, corroborationShare: 1 },
      audits: { bytesPerSecond: 1_000_000, roundMs: 60_000 },
    })
    let visits = 0
    network.web.serve('plain.test', (path) =>
      path === '/' ? { body: '<h1>The same for all</h1>' } : undefined,
    )
    network.web.serve('noisy.test', (path) =>
      path === '/' ? { body: `<h1>News</h1><!-- served as ${++visits} -->` } : undefined,
    )
    network.web.serve('split.test', (path, peer) =>
      path === '/' ? { body: `<h1>A page that is another one for ${peer}</h1>` } : undefined,
    )
    await network.settled()
    const hosts = ['plain.test', 'noisy.test', 'split.test']
    const { id } = await network.startJob(
      'peer-0',
      hosts.map((host) => `http://${host}/`),
    )
    await network.until('the job', async () => {
      const job = await network.job('peer-0', id)
      return job.state === 'done' || job
    })
    const verdicts = { 'plain.test': 'same', 'noisy.test': 'alike', 'split.test': 'other' }
    for (const [host, verdict] of Object.entries(verdicts))
      for (const { name } of network.peers)
        await network.until(`${name} to tell who else saw ${host}`, async () => {
          const query = encodeURIComponent(`http://${host}/`)
          const told = await network.ask<Told>(name, `/api/v1/signature?url=${query}`)
          const isTold = told.seen.length > 0 && told.seen.every((look) => look.verdict === verdict)
          return (told.state === 'verified' && isTold && told.seen.every(({ by }) => by !== told.by)) || told
        })
    network.web.checkPoliteness(delayMs)
    await network.until('some audits', async () => {
      const { audits } = await network.ask<NetworkStatus>('peer-0', '/api/v1/status')
      return audits!.right >= 4 || audits
    })
    const { audits } = await network.ask<NetworkStatus>('peer-0', '/api/v1/status')
    assert.deepEqual([audits!.wrong, audits!.lacking, audits!.excluded], [0, 0, 0])
    assert.deepEqual(network.faults, [])
  },
  hangMs,
)
