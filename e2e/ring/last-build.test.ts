// Peers of this program and of the last build in one ring: they agree on it, and each reads what the other keeps.
//
// The build is that of a pinned commit, from the history of this clone, or lies in the folder that POLYHISTOR_LAST_BUILD names; a clone
// without that commit has none. With each release the pin moves to it (CONTRIBUTING.md).

import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { cp, mkdtemp, rm, symlink } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'vitest'
import { root } from '../command.ts'
import { until } from '../network/until.ts'
import { runWords } from './peer-process.ts'
import { RingOfPeers } from './ring-of-peers.ts'

const lastBuild = 'bc73eabd'

const named = process.env.POLYHISTOR_LAST_BUILD
const hasCommit =
  spawnSync('git', ['cat-file', '-e', `${lastBuild}^{commit}`], { cwd: root, stdio: 'ignore' }).status === 0

/** With its folder, which is gone afterwards. */
async function withLastBuild(use: (folder: string) => Promise<void>): Promise<void> {
  if (named !== undefined) return use(named)
  const folder = await mkdtemp(join(tmpdir(), 'polyhistor-last-'))
  try {
    const unpack = 'git archive "$0" | tar -x -C "$1"'
    assert.equal(spawnSync('sh', ['-c', unpack, lastBuild, folder], { cwd: root }).status, 0)
    await symlink(join(root, 'node_modules'), join(folder, 'node_modules'))
    // Else bin/set-up would find other dependencies than its own, and install those into ours.
    await cp(join(root, 'package-lock.json'), join(folder, 'package-lock.json'))
    await use(folder)
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

const url = 'http://127.0.0.1:18080/'
const file = join(root, 'src/formats/warc/fixtures/wget-gzip.warc.gz')

test.skipIf(named === undefined && !hasCommit)(
  'peers of the last build and of this one agree on one ring, and each reads what was imported at the other',
  { timeout: 600_000 },
  () =>
    withLastBuild(async (folder) => {
      const last = join(folder, 'bin/polyhistor')
      for (const importer of [0, 1]) {
        const ring = await RingOfPeers.start({ count: 3, programs: { 1: last } })
        try {
          await ring.agree([0, 1, 2], { keys: 16, deadlineMs: 120_000 })
          const { home } = ring.peers[importer]!
          await runWords(['import', file, '--quiet', '--home', home], importer === 1 ? last : undefined)
          for (const [index, peer] of ring.peers.entries()) {
            await until(`peer ${index} to read what peer ${importer} imported`, async () => {
              const { status } = await fetch(`${peer.url}/web/2id_/${url}`)
              return status === 200 || `status ${status}`
            })
          }
        } finally {
          await ring.end()
        }
      }
    }),
)
