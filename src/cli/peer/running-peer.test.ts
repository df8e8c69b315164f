import assert from 'node:assert/strict'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { createServer } from 'node:net'
import { test } from 'vitest'
import { writePeerFile } from '../../app/http/peer-file.ts'
import { withTemporaryFolder } from '../../platform/fixtures/temporary-folder.ts'
import { contextFrom } from '../context.ts'
import { runningPeer } from './running-peer.ts'

test('a peer that runs and does not answer is told of, instead of waited for without end', () =>
  withTemporaryFolder(async (home) => {
    // As a stopped process does: the system takes connections for it.
    const server = createServer(() => {})
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
    await writePeerFile(home, { url, instance: 'it', token: 'secret', pid: 1 })
    try {
      await assert.rejects(
        runningPeer(contextFrom({ home }), 100),
        ({ code, message }: Error & { code: string }) => {
          assert.equal(code, 'peer-unreachable')
          assert.match(message, /does not answer/)
          return true
        },
      )
    } finally {
      server.close()
    }
  }))
