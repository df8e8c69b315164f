// A revocation that is taken back, between real processes: the peer is out everywhere, also after a restart, and takes part again once
// a higher role than that of who revoked it has granted it one. Whether it runs meanwhile or not, and has heard of it or not:
// sim/roles/revocation-undone.long.test.ts.

import assert from 'node:assert/strict'
import { join } from 'node:path'
import { test } from 'vitest'
import { until } from '../../src/platform/fixtures/until.ts'
import { type Outcome, polyhistor, temporaryFolder } from '../command.ts'
import { PeerProcess } from './peer-process.ts'

const local = ['--listen', '127.0.0.1:0', '--http', 'localhost:0', '--share', '1GB']
const pauseMs = 120

interface Roles {
  readonly peers: readonly { readonly peer: string; readonly role: string }[]
  readonly revoked: readonly string[]
}

test('who was revoked is out, also after a restart, and takes part again when a higher role undoes it', {
  timeout: 1_500_000,
}, async () => {
  const folder = await temporaryFolder()
  const [a, b, c] = ['a', 'b', 'c'].map((name) => join(folder, name)) as [string, string, string]
  const on = (home: string, ...words: string[]): Promise<Outcome> => polyhistor([...words, '--home', home])
  const done = async (home: string, ...words: string[]): Promise<string> => {
    const { code, output, errors } = await on(home, ...words)
    assert.equal(code, 0, `${words.join(' ')}: ${errors}`)
    return output
  }
  const known = async (peer: PeerProcess) =>
    new Set((await peer.view()).known.map(({ contact }) => contact.peer))
  const rolesAt = async (home: string) => JSON.parse(await done(home, 'network', 'roles', '--json')) as Roles
  await done(a, 'network', 'create', 'ours')
  const peers: PeerProcess[] = []
  try {
    const start = async (home: string, ...words: string[]): Promise<PeerProcess> => {
      const peer = new PeerProcess({ home, words: [...local, ...words] })
      peers.push(peer)
      await peer.start()
      return peer
    }
    const first = await start(a)
    const second = await start(b, '--invite', (await done(a, 'network', 'invite', '-q')).trim())
    const third = await start(c, '--invite', (await done(a, 'network', 'invite', '-q')).trim())
    const areTogether = async () =>
      (await Promise.all(peers.map(known))).every((others) => others.size === peers.length)
    await until('three peers on the ring', areTogether, pauseMs)
    const [idB, idC] = [(await second.view()).peer, (await third.view()).peer]
    const isOut = async () => !(await known(first)).has(idC) && !(await known(second)).has(idC)
    await done(a, 'network', 'grant', idB, 'admin')
    const isAdmin = async () =>
      (await rolesAt(b)).peers.some(({ peer, role }) => peer === idB && role === 'admin')
    await until('the second to be administrator', isAdmin, pauseMs)

    // By an administrator, whom the network’s key has named.
    await done(b, 'network', 'revoke', idC, '--reason', 'gone bad')
    await until('the revoked peer to be off the ring', isOut, pauseMs)
    // Off the ring it may be already because it was slow.
    for (const home of [a, b])
      await until('both to know of it', async () => (await rolesAt(home)).revoked.join() === idC, pauseMs)
    await third.end()
    await third.start().catch(() => {})
    await first.end()
    await first.start()
    await until('the others to be together', async () => (await known(first)).has(idB), pauseMs)
    for (let look = 0; look < 5; look++) {
      assert(await isOut())
      await new Promise((resolve) => setTimeout(resolve, 1_000))
    }

    // By the network’s key.
    await done(a, 'network', 'grant', idC, 'member', '--reason', 'a mistake')
    if (!third.isRunning) await third.start()
    await until('all to be together again', areTogether, pauseMs)
    for (const home of [a, b, c]) {
      await until('nobody to be revoked', async () => (await rolesAt(home)).revoked.length === 0, pauseMs)
      assert.equal((await rolesAt(home)).peers.find(({ peer }) => peer === idC)?.role, 'member')
    }
    await until(
      'the peer itself not to say that it is revoked',
      async () => !(await done(c, 'status', '--json')).includes('This peer was revoked'),
      pauseMs,
    )
  } finally {
    await Promise.allSettled(peers.map((peer) => peer.end('SIGKILL')))
  }
})
