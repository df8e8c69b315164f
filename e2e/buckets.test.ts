// Volumes in a bucket of a real S3 server that others wrote: OpenStack Swift, from Debian. Where it is not installed, the tests say
// so and are skipped; s3-server.ts stands in for it in the short run.

import assert from 'node:assert/strict'
import { execFile, spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { onTestFinished, test } from 'vitest'
import { watched } from '../src/platform/fixtures/child-processes.ts'
import { until } from '../src/platform/fixtures/until.ts'
import { S3Bucket } from '../src/platform/real/bucket/s3-bucket.ts'
import { s3SettingsFrom } from '../src/platform/real/bucket/s3-settings.ts'
import { RealClock } from '../src/platform/real/clock.ts'
import { RealRandom } from '../src/platform/real/random.ts'
import { polyhistor, root, temporaryFolder } from './command.ts'

const python = '/usr/bin/python3'
const missing = await lackOfSwift()

async function lackOfSwift(): Promise<string | undefined> {
  if (!existsSync(python)) return `${python} is not there`
  try {
    await promisify(execFile)(python, ['-c', 'import swift.common.middleware.s3api.s3api, swift.obj.server'])
    return undefined
  } catch {
    return 'OpenStack Swift is not installed: apt install swift-proxy swift-account swift-container swift-object'
  }
}

async function startSwift(): Promise<Record<string, string>> {
  const folder = await temporaryFolder()
  await mkdir(folder, { recursive: true })
  const script = join(root, 'e2e/fixtures/swift-s3.py')
  const child = watched(spawn(python, [script, folder], { stdio: ['pipe', 'pipe', 'pipe'] }), folder)
  let output = ''
  let errors = ''
  child.stdout.setEncoding('utf8').on('data', (text) => (output += text))
  child.stderr.setEncoding('utf8').on('data', (text) => (errors += text))
  onTestFinished(() => void child.stdin.end())
  await until('Swift to listen', () => {
    if (child.exitCode !== null) throw new Error(`Swift has ended: ${errors}`)
    return output.includes('\n')
  })
  return {
    AWS_ENDPOINT_URL: output.trim(),
    AWS_ACCESS_KEY_ID: 'test:tester',
    AWS_SECRET_ACCESS_KEY: 'testing',
    AWS_REGION: 'us-east-1',
  }
}

function bucketAt(environment: Record<string, string>, address: string): S3Bucket {
  const needs = { clock: new RealClock(), random: new RealRandom() }
  return new S3Bucket(needs, address, () => s3SettingsFrom(environment))
}

/** Buckets are made by whoever runs the server. */
async function makeBucket(environment: Record<string, string>): Promise<void> {
  await bucketAt(environment, 's3://archive').put('', new Uint8Array(0))
}

test.skipIf(missing !== undefined)(
  `volumes lie in a bucket of Swift, and make an archive again (skipped where ${missing ?? 'it is not installed'})`,
  { timeout: 600_000 },
  async () => {
    const environment = await startSwift()
    await makeBucket(environment)
    const place = 's3://archive/one/volumes'
    const home = await temporaryFolder()
    const run = async (words: string[], more: Record<string, string> = {}, at = home) =>
      polyhistor([...words, '--home', at], { environment: { ...environment, ...more } })
    const wgetFile = join(root, 'src/formats/warc/fixtures/wget-gzip.warc.gz')
    assert.equal((await run(['import', wgetFile])).code, 0)
    const captures = (stat: { output: string }) => JSON.parse(stat.output).captures as number
    const before = captures(await run(['store', 'stat', '--json']))
    const added = await run(['store', 'volumes', 'add', place, '--json'])
    assert.equal(added.code, 0, added.errors)
    const { volumes } = JSON.parse((await run(['store', 'stat', '--json'])).output)
    const [name] = volumes.map(({ path }: { path: string }) => path.split('/').at(-1))
    const moved = await run(['store', 'volumes', 'move', place, name, '--json'])
    assert.equal(moved.code, 0, moved.errors)
    assert.equal(JSON.parse(moved.output).volumes, 1)
    const scrubbed = await run(['store', 'scrub', '--restart', '--json'])
    assert.equal(scrubbed.code, 0, scrubbed.errors)
    assert.ok(JSON.parse(scrubbed.output).records > 0)

    const refused = await run(['store', 'volumes', 'move', join(home, 'store', 'volumes')], {
      AWS_SECRET_ACCESS_KEY: 'wrong',
    })
    assert.equal(refused.code, 1)
    assert.match(refused.errors, /credentials|Signature/)

    const other = await temporaryFolder()
    const rebuilt = await run(['store', 'rebuild', '--from', place, '--json'], {}, other)
    assert.equal(rebuilt.code, 0, rebuilt.errors)
    assert.equal(JSON.parse(rebuilt.output).captures, before)
    await rm(home, { recursive: true })
    const back = await run(['store', 'volumes', 'move', join(other, 'store', 'volumes'), '--json'], {}, other)
    assert.equal(back.code, 0, back.errors)
    assert.equal(captures(await run(['store', 'stat', '--json'], {}, other)), before)
    assert.deepEqual(
      (await Array.fromAsync(bucketAt(environment, place).list(), ({ name }) => name)).filter((name) =>
        name.includes('.warc'),
      ),
      [],
    )
  },
)

test.skipIf(missing !== undefined)(
  `an upload in parts is found again at Swift (skipped where ${missing ?? 'it is not installed'})`,
  { timeout: 600_000 },
  async () => {
    const environment = await startSwift()
    await makeBucket(environment)
    const bucket = bucketAt(environment, 's3://archive/parts')
    const part = Buffer.alloc(5 * 1024 * 1024, 'part')
    const upload = await bucket.beginUpload('large', { sha256: 'abc' })
    const first = await bucket.putPart('large', upload, 1, part)
    assert.deepEqual(await bucket.uploads('large'), [upload])
    assert.deepEqual(await bucket.parts('large', upload), [first])
    const last = await bucket.putPart('large', upload, 2, Buffer.from('the end'))
    await bucket.completeUpload('large', upload, [first, last])
    const info = (await bucket.head('large'))!
    assert.deepEqual([info.sizeBytes, info.sha256], [part.length + 7, 'abc'])
    const bytes = await bucket.read('large', part.length - 4, 11, info.etag)
    assert.equal(Buffer.from(bytes).toString(), 'partthe end')
    assert.deepEqual(await bucket.uploads('large'), [])
  },
)
