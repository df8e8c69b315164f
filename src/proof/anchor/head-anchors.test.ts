// Anchors, with openssl as the authority behind a small HTTP server.

import assert from 'node:assert/strict'
import { execFileSync, spawnSync } from 'node:child_process'
import { appendFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, onTestFinished, test } from 'vitest'
import { silentLog } from '../../platform/log.ts'
import { localWorld } from '../../platform/real/local-world.ts'
import { SigningKey } from '../ed25519.ts'
import { signHead } from '../log/log-head.ts'
import { HeadAnchors } from './head-anchors.ts'
import { timestampIn, timestampQuery } from './timestamp-query.ts'

const hasOpenssl = spawnSync('openssl', ['version']).error === undefined

const configuration = `[ tsa ]
default_tsa = stamping
[ stamping ]
serial = $ENV::FOLDER/serial
signer_cert = $ENV::FOLDER/tsa.pem
signer_key = $ENV::FOLDER/tsa.key
signer_digest = sha256
default_policy = 1.2.3.4
digests = sha256
accuracy = secs:1
ess_cert_id_alg = sha256
[ req ]
distinguished_name = name
[ name ]
[ extensions ]
extendedKeyUsage = critical,timeStamping
`

/** Its address, and what was asked of it. */
async function startAuthority(folder: string): Promise<string> {
  const openssl = (...words: string[]) =>
    execFileSync('openssl', words, { cwd: folder, env: { ...process.env, FOLDER: folder }, stdio: 'pipe' })
  writeFileSync(join(folder, 'tsa.cnf'), configuration)
  writeFileSync(join(folder, 'serial'), '01\n')
  const subject = ['-subj', '/CN=authority', '-days', '2', '-extensions', 'extensions', '-config', 'tsa.cnf']
  openssl(
    'req',
    '-x509',
    '-newkey',
    'rsa:2048',
    '-nodes',
    '-keyout',
    'tsa.key',
    '-out',
    'tsa.pem',
    ...subject,
  )
  const server = createServer(async (request, response) => {
    writeFileSync(join(folder, 'asked'), Buffer.concat(await Array.fromAsync(request)))
    openssl('ts', '-reply', '-queryfile', 'asked', '-config', 'tsa.cnf', '-out', 'answer')
    response
      .setHeader('Content-Type', 'application/timestamp-reply')
      .end(readFileSync(join(folder, 'answer')))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void server.close())
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/`
}

describe('a head of the log', () => {
  test('is put as an e-mail where it is sent from', async () => {
    const written = new Map<string, string>()
    const key = new SigningKey(Buffer.alloc(32, 7))
    const head = signHead(key, 42, Buffer.alloc(32, 1), Date.UTC(2026, 0, 2, 3, 4, 5))
    const { clock, random } = localWorld()
    const anchors = new HeadAnchors(
      {
        ...{ clock, random, log: silentLog, folder: '/anchors', publicKey: key.publicKey },
        head: async () => head,
        append: async () => {},
        write: async (file, bytes) => void written.set(file, Buffer.from(bytes).toString()),
        post: async () => new Uint8Array(),
      },
      { mail: { folder: '/pickup', to: 'keeper@example.org' }, everyMs: 1e9 },
    )
    await anchors.anchor()
    await anchors.close()
    const [[file, text]] = [...written] as [[string, string]]
    assert.equal(file, '/pickup/polyhistor-log-42.eml')
    const [header, body] = text.split('\r\n\r\n', 1).concat(text.slice(text.indexOf('\r\n\r\n'))) as [
      string,
      string,
    ]
    assert.match(
      header,
      /^Date: Fri, 02 Jan 2026 03:04:05 \+0000\r\nFrom: keeper@example.org\r\nTo: keeper@example.org\r\n/,
    )
    for (const bytes of [head.root, head.signature, key.publicKey])
      assert.ok(body.includes(Buffer.from(bytes).toString('hex')))
    assert.ok(!/[^\r]\n|[^\x20-\x7e\r\n]/.test(text))
  })

  test.skipIf(!hasOpenssl)(
    'is stamped by an authority, so that openssl verifies it, and put into a file',
    async () => {
      const folder = mkdtempSync(join(tmpdir(), 'polyhistor-'))
      onTestFinished(() => rmSync(folder, { recursive: true }))
      const url = await startAuthority(folder)
      const key = new SigningKey(Buffer.alloc(32, 7))
      const head = signHead(key, 42, Buffer.alloc(32, 1), Date.now())
      mkdirSync(join(folder, 'anchors'))
      const file = join(folder, 'heads.jsonl')
      const { clock, random } = localWorld()
      const anchors = new HeadAnchors(
        {
          ...{ clock, random, log: silentLog, publicKey: key.publicKey, folder: join(folder, 'anchors') },
          head: async () => head,
          append: async (path, line) => appendFileSync(path, line),
          write: async (path, bytes) => writeFileSync(path, bytes),
          post: async (to, contentType, bytes) => {
            const headers = { 'Content-Type': contentType }
            const response = await fetch(to, { method: 'POST', headers, body: Uint8Array.from(bytes) })
            return new Uint8Array(await response.arrayBuffer())
          },
        },
        { file, url, everyMs: 3_600_000 },
      )
      await anchors.anchor()
      await anchors.anchor()
      await anchors.close()
      assert.equal(anchors.lack, undefined)
      const lines = readFileSync(file, 'utf8').trim().split('\n')
      assert.equal(lines.length, 1)
      assert.deepEqual(JSON.parse(lines[0]!).size, 42)
      const verify = (data: string) =>
        spawnSync(
          'openssl',
          ['ts', '-verify', '-data', data, '-in', 'anchors/42.head.tsr', '-CAfile', 'tsa.pem'],
          {
            cwd: folder,
          },
        ).status
      assert.equal(verify('anchors/42.head'), 0)
      writeFileSync(join(folder, 'other'), 'something else')
      assert.notEqual(verify('other'), 0)
      const answer = readFileSync(join(folder, 'answer'))
      const query = readFileSync(join(folder, 'asked'))
      assert(query.length > 40)
      for (const [data, nonce] of [
        [Buffer.from('other'), Buffer.alloc(8, 1)],
        [readFileSync(join(folder, 'anchors/42.head')), Buffer.alloc(8, 1)],
      ])
        assert.throws(() => timestampIn(answer, data!, nonce!), { code: 'anchor-refused' })
    },
  )

  test('whatever an authority answers is refused when it is no stamp', () => {
    const [data, nonce] = [Buffer.from('data'), Buffer.alloc(8, 1)]
    const query = timestampQuery(data, nonce)
    for (const answer of [
      query,
      Buffer.alloc(0),
      Buffer.from('300330030201', 'hex'),
      Buffer.from('3084ffffffff', 'hex'),
    ])
      assert.throws(() => timestampIn(answer, data, nonce), { code: 'anchor-refused' })
  })
})
