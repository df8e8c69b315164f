// Proofs as people use them: whoever has the file sees for themselves who captured a page, and any byte that was changed is found.

import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { hash, X509Certificate } from 'node:crypto'
import { readFileSync, writeFileSync } from 'node:fs'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { join } from 'node:path'
import { gunzipSync, gzipSync } from 'node:zlib'
import { describe, test } from 'vitest'
import { look, proven } from '../src/app/proof/fixtures/seen-page.ts'
import { until } from '../src/platform/fixtures/until.ts'
import { polyhistor, root, temporaryFolder } from './command.ts'
import { crawl, startCrawl } from './crawl/crawling.ts'
import { page, startOrigin } from './crawl/origin.ts'
import { healed } from './network/health.ts'
import { startNetworkAndWeb } from './network/network-and-web.ts'
import { runWords } from './ring/peer-process.ts'

const minutes = 60_000
const hasJudge = ['python3', 'openssl'].every((tool) => spawnSync(tool, ['version']).error === undefined)

async function exitCode(...words: string[]): Promise<number | null> {
  return (await polyhistor(words)).code
}

function judge(file: string): number | null {
  return spawnSync('python3', [join(root, 'e2e/judges/verify-proof.py'), file]).status
}

describe('proofs', () => {
  test(
    'are verified by anybody, and fail with any byte changed',
    async () => {
      const home = await temporaryFolder()
      const origin = await startOrigin({ '/': page('/a', '/b'), '/a': page('/'), '/b': page('/a') })
      await crawl(home, origin.url('/'))
      const warc = join(home, 'all.warc.gz')
      const proof = join(home, 'proof.json')
      for (const words of [
        ['verify', origin.url('/a')],
        ['prove', origin.url('/a'), '-o', proof],
        ['export', warc, '-q'],
        ['export', join(home, 'all.wacz'), '-q'],
      ])
        assert.equal(await exitCode(...words, '--home', home), 0, words.join(' '))
      for (const file of [proof, warc, join(home, 'all.wacz')])
        assert.equal(await exitCode('verify', file), 0, file)
      if (hasJudge) assert.equal(judge(proof), 0)

      const text = readFileSync(proof, 'utf8')
      const forged = join(home, 'forged.json')
      const { statement, signature, log } = JSON.parse(text)
      for (const [was, is] of [
        [statement.slice(0, 60), `${statement.slice(0, 59)}x`],
        [signature.signature, flipped(signature.signature)],
        [signature.key, flipped(signature.key)],
        [log.head.root, flipped(log.head.root)],
        [log.head.signature, flipped(log.head.signature)],
      ]) {
        const escaped = (value: string) => JSON.stringify(value).slice(1, -1)
        assert(text.includes(escaped(was)))
        writeFileSync(forged, text.replaceAll(escaped(was), escaped(is)))
        assert.equal(await exitCode('verify', forged), 1, was)
        if (hasJudge) assert.notEqual(judge(forged), 0, was)
      }

      const plain = gunzipSync(readFileSync(warc)).toString('latin1')
      for (const [was, is] of [
        [/WARC-IP-Address: 127/, 'WARC-IP-Address: 126'],
        [/(WARC-Type: response[\s\S]*?WARC-Date: )2/, '$11'],
        [/Polyhistor-Signature: \S+\r\n/, ''],
      ] as const) {
        const file = join(home, 'forged.warc.gz')
        writeFileSync(file, gzipSync(Buffer.from(plain.replace(was, is), 'latin1')))
        assert.equal(await exitCode('verify', file), 1, String(was))
      }
    },
    15 * minutes,
  )

  test.skipIf(!hasJudge)(
    'name the certificate that a server showed',
    async () => {
      const home = await temporaryFolder()
      const [keyFile, certificateFile] = [join(home, 'key.pem'), join(home, 'certificate.pem')]
      const words = [
        '-nodes',
        '-days',
        '2',
        '-subj',
        '/CN=127.0.0.1',
        '-keyout',
        keyFile,
        '-out',
        certificateFile,
      ]
      assert.equal(spawnSync('openssl', ['req', '-x509', '-newkey', 'rsa:2048', ...words]).status, 0)
      const [key, cert] = [readFileSync(keyFile), readFileSync(certificateFile)]
      const origin = await startOrigin({ '/': page() }, { tls: { key, cert } })
      await crawl(home, origin.url('/'), '--insecure')
      const proof = join(home, 'proof.json')
      assert.equal(await exitCode('prove', origin.url('/'), '-o', proof, '--home', home), 0)
      assert.equal(await exitCode('verify', proof), 0)
      assert.equal(judge(proof), 0)
      const { statement } = JSON.parse(readFileSync(proof, 'utf8')) as { statement: string }
      const digest = hash('sha256', new X509Certificate(cert).raw, 'hex')
      assert.match(statement, new RegExp(`^certificate sha256:${digest}$`, 'm'))
    },
    15 * minutes,
  )

  test(
    'hold after kills in mid-crawl: what was acknowledged is signed, and in a log that goes on',
    async () => {
      const home = await temporaryFolder()
      const pages = Array.from({ length: 40 }, (_, index) => `/${index}`)
      const origin = await startOrigin({
        '/': page(...pages),
        ...Object.fromEntries(pages.map((path) => [path, slowly])),
      })
      for (const keptMin of [5, 15]) {
        const crawling = startCrawl(home, origin.url('/'))
        await until(`${keptMin} requests`, () => origin.arrivals.length >= keptMin)
        crawling.stop('SIGKILL')
        assert.equal(await crawling.ended, 'SIGKILL')
        origin.arrivals.length = 0
      }
      await crawl(home, origin.url('/'))
      for (const path of ['/', ...pages.slice(0, 8)]) {
        const { code, output } = await polyhistor(['verify', origin.url(path), '--json', '--home', home])
        const told = JSON.parse(output) as { hasLog: boolean; holds: boolean }
        assert.deepEqual([code, told.holds, told.hasLog], [0, true, true], `${path}: ${output}`)
      }
    },
    15 * minutes,
  )

  test(
    'are the same at every peer of a network, for what any of them captured',
    async () => {
      const web = { sites: 2, pages: 3, images: 0, seed: 'proof', latencyMs: 0 }
      const { network, origin } = await startNetworkAndWeb({ ...web, peers: 2, words: ['--copies', '2'] })
      await healed(network)
      const homes = network.peers.map(({ home }) => home)
      await runWords(['crawl', origin.web.start, '--scope', 'any', '--quiet', '--home', homes[0]!])
      await healed(network)
      for (const url of origin.web.firstPages) {
        // The log of who captured it comes to the others a little after the capture.
        await until(`the same of ${url} everywhere`, async () => {
          const told = await Promise.all(
            homes.map((home) => runWords(['verify', url, '--json', '--home', home])),
          )
          const [first, ...others] = told.map(
            (text) => JSON.parse(text) as { by: string; hasLog: boolean; holds: boolean },
          )
          assert(first!.holds, told[0]!)
          for (const other of others) assert.deepEqual([other.by, other.holds], [first!.by, true])
          return first!.hasLog && others.every(({ hasLog }) => hasLog)
        })
      }
      assert.deepEqual(network.faults, [])
    },
    15 * minutes,
  )

  test(
    'tell who else saw a page, and fail where that is forged',
    async () => {
      const folder = await temporaryFolder()
      const { proof, warc } = await proven((nowMs) => [look(nowMs)])
      const [seen, forged, exported] = ['seen.json', 'forged.json', 'all.warc.gz'].map((name) =>
        join(folder, name),
      ) as [string, string, string]
      writeFileSync(seen, JSON.stringify(proof))
      writeFileSync(exported, warc)
      const account = Buffer.from(proof.seen!.payload, 'base64').toString()
      const payload = Buffer.from(account.replace('"verdict":"same"', '"verdict":"alike"')).toString('base64')
      assert.notEqual(payload, proof.seen!.payload)
      writeFileSync(forged, JSON.stringify({ ...proof, seen: { ...proof.seen, payload } }))
      const told = await Promise.all([seen, exported, forged].map((file) => polyhistor(['verify', file])))
      assert.deepEqual(
        told.map(({ code }) => code),
        [0, 0, 1],
        told.map(({ output }) => output).join(''),
      )
      assert.match(told[0]!.output, /seen alike by \S+ at \d/)
      assert.match(told[1]!.output, /1 seen alike by \S+/)
      if (hasJudge) assert.deepEqual([judge(seen), judge(forged)], [0, 1])
    },
    15 * minutes,
  )
})

/** So that a kill comes in the middle. */
function slowly(_: IncomingMessage, response: ServerResponse): void {
  setTimeout(() => response.writeHead(200, { 'Content-Type': 'text/html' }).end(page('/')), 150)
}

/** The first digit of it, for another. */
function flipped(hex: string): string {
  return `${hex[0] === '0' ? '1' : '0'}${hex.slice(1)}`
}
