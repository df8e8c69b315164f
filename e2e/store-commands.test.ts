import assert from 'node:assert/strict'
import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { describe, test } from 'vitest'
import { watched } from '../src/platform/fixtures/child-processes.ts'
import { until } from '../src/platform/fixtures/until.ts'
import { polyhistor, root, temporaryFolder } from './command.ts'

const wgetFile = join(root, 'src/formats/warc/fixtures/wget-gzip.warc.gz')

async function homeWithWgetFile(): Promise<string> {
  const home = await temporaryFolder()
  const { code, errors } = await polyhistor(['import', wgetFile, '--home', home])
  assert.equal(code, 0, errors)
  return home
}

async function statOf(home: string) {
  return JSON.parse((await polyhistor(['store', 'stat', '--json', '--home', home])).output)
}

/** All but the room that the index takes: its pages are taken and given back as it sees fit, also when it says the same. */
function withoutIndex({ bytes, ...stat }: { bytes: { onDisk: number } }) {
  const { onDisk: _, ...others } = bytes
  return { ...stat, bytes: others }
}

describe('contents', () => {
  test('are put, got back and deleted by key', async () => {
    const home = await temporaryFolder()
    const file = join(home, 'bytes')
    const bytes = Buffer.from('some bytes\0\xff')
    await writeFile(file, bytes)
    const put = await polyhistor(['store', 'put', file, file, join(home, 'absent'), '--home', home])
    assert.equal(put.code, 1)
    assert.match(put.errors, /absent cannot be read/)
    const [key, again] = put.output.trim().split('\n')
    const sum = execFileSync('sha256sum', [file]).toString().slice(0, 64)
    assert.deepEqual([key, again], [`sha256:${sum}`, `sha256:${sum}`])

    const got = await polyhistor(['store', 'get', key!, '--home', home])
    assert.deepEqual([got.code, got.output], [0, bytes.toString()])
    assert.equal((await statOf(home)).distinctPayloads, 1)
    assert.equal((await polyhistor(['store', 'delete', key!, key!, '--home', home])).code, 0)
    const gone = await polyhistor(['store', 'get', key!, '--home', home])
    assert.deepEqual([gone.code, gone.output], [66, ''])
    assert.equal((await polyhistor(['store', 'get', 'nonsense', '--home', home])).code, 65)
  })
})

describe('an archive', () => {
  test('is imported, listed, read, exported, and imported again from what was exported', {
    timeout: 900_000,
  }, async () => {
    const home = await homeWithWgetFile()
    const before = await statOf(home)
    assert.ok(before.captures > 0)

    const again = await polyhistor(['import', wgetFile, '--home', home])
    assert.equal(again.code, 0)
    assert.deepEqual(withoutIndex(await statOf(home)), withoutIndex(before))

    const versions = await polyhistor(['versions', 'http://127.0.0.1:18080/', '--json', '--home', home])
    const [version] = versions.output
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line))
    assert.equal(version.status, 200)
    const page = await polyhistor([
      'get',
      'http://127.0.0.1:18080/',
      '--at',
      '2020',
      '--headers',
      '--home',
      home,
    ])
    assert.match(page.output, /^HTTP\/1\.1 200 OK\r\n[\s\S]*\r\n\r\n[\s\S]+/)

    for (const name of ['all.warc.gz', 'all.wacz']) {
      const file = join(home, name)
      const exported = await polyhistor(['export', file, '--home', home])
      assert.equal(exported.code, 0, exported.errors)
      assert.equal((await polyhistor(['export', file, '--home', home])).code, 64)
      const other = await temporaryFolder()
      assert.equal((await polyhistor(['import', file, '--home', other])).code, 0)
      const after = await statOf(other)
      assert.deepEqual([after.captures, after.distinctPayloads], [before.captures, before.distinctPayloads])
      const same = await polyhistor([
        'get',
        'http://127.0.0.1:18080/',
        '--at',
        '2020',
        '--headers',
        '--home',
        other,
      ])
      assert.equal(same.output, page.output)
    }
  })

  test('that is damaged is imported as far as it goes, and says so', async () => {
    const home = await temporaryFolder()
    const bytes = await readFile(wgetFile)
    bytes[Math.floor(bytes.length / 2)]! ^= 0xff
    const file = join(home, 'damaged.warc.gz')
    await writeFile(file, bytes)
    const { code, errors, output } = await polyhistor(['import', file, '--home', home])
    assert.equal(code, 1)
    assert.match(errors, /damaged\.warc\.gz, byte \d+: /)
    assert.match(output, /1 damaged/)
    const absent = await polyhistor(['import', join(home, 'absent.warc'), '--home', home])
    assert.equal(absent.code, 1)
    assert.match(absent.errors, /absent\.warc cannot be read: there is no such file/)
  })

  test('is imported also where a file before it is no archive, which is named', async () => {
    const home = await temporaryFolder()
    const file = join(home, 'notes.txt')
    await writeFile(file, 'not an archive')
    const { code, errors, output } = await polyhistor([
      'import',
      file,
      home,
      wgetFile,
      '--json',
      '--home',
      home,
    ])
    assert.equal(code, 1)
    assert.match(errors, /^polyhistor: .*notes\.txt: This is neither WARC/)
    assert.match(errors, /^polyhistor: \S+ cannot be read: it is not a file\.$/m)
    assert.ok(JSON.parse(output).kept > 0)
  })

  test('loses what is taken down at once, brings it back, and ends it to the last byte when told', async () => {
    const home = await homeWithWgetFile()
    const url = 'http://127.0.0.1:18080/'
    assert.equal((await polyhistor(['takedown', '--site', '127.0.0.1', '--home', home])).code, 64)
    const takedown = (...options: string[]) =>
      polyhistor(['takedown', '--site', '127.0.0.1', ...options, '--home', home])
    assert.equal((await takedown('--yes')).code, 0)
    assert.equal((await polyhistor(['versions', url, '--home', home])).code, 1)
    assert.equal((await polyhistor(['store', 'compact', '--home', home])).code, 0)
    assert.match((await takedown('--release')).output, /captures are shown again/)
    assert.equal((await polyhistor(['versions', url, '--home', home])).code, 0)
    assert.equal((await takedown('--yes', '--now')).code, 0)
    assert.equal((await polyhistor(['versions', url, '--home', home])).code, 1)
    assert.equal((await polyhistor(['store', 'compact', '--home', home])).code, 0)
    for (const { path } of (await statOf(home)).volumes) {
      assert.ok(!gunzipSync(await readFile(path)).includes('127.0.0.1'), path)
    }
    assert.match((await polyhistor(['takedown', '--list', '--home', home])).output, /^site +127\.0\.0\.1 /m)
    const { output } = await polyhistor(['import', '--again', wgetFile, '--home', home])
    assert.match(output, /0 captures kept/)
  })

  test('is scrubbed, and rot is found', async () => {
    const home = await homeWithWgetFile()
    assert.equal((await polyhistor(['store', 'scrub', '--rate', '0', '--home', home])).code, 64)
    assert.equal((await polyhistor(['store', 'scrub', '--home', home])).code, 0)
    const [volume] = (await statOf(home)).volumes
    const bytes = await readFile(volume.path)
    bytes[bytes.length - 100]! ^= 1
    await writeFile(volume.path, bytes)
    const { code, errors } = await polyhistor(['store', 'scrub', '--home', home])
    assert.equal(code, 1)
    assert.match(errors, /\.warc\.gz, byte \d+: /)
  })

  test('whose index is lost is rebuilt from its volumes', async () => {
    const home = await homeWithWgetFile()
    const before = await statOf(home)
    await rm(join(home, 'store', 'index'), { recursive: true })
    const refused = await polyhistor(['store', 'stat', '--home', home])
    assert.notEqual(refused.code, 0)
    assert.match(refused.errors, /polyhistor store rebuild/)
    assert.equal((await polyhistor(['store', 'rebuild', '--home', home])).code, 0)
    const after = await statOf(home)
    assert.deepEqual([after.captures, after.distinctPayloads], [before.captures, before.distinctPayloads])
  })

  test('moves off a volume folder that is to go', async () => {
    const home = await homeWithWgetFile()
    const other = join(home, 'other-disk')
    assert.equal((await polyhistor(['store', 'volumes', '--add', other, '--home', home])).code, 0)
    const first = join(home, 'store', 'volumes')
    assert.equal((await polyhistor(['store', 'volumes', '--move-off', first, '--home', home])).code, 0)
    const { volumes } = await statOf(home)
    assert.ok(volumes.length > 0)
    for (const { path } of volumes) assert.ok(path.startsWith(other), path)
    assert.equal((await polyhistor(['get', 'http://127.0.0.1:18080/', '--home', home])).code, 0)
    assert.equal(
      (await polyhistor(['store', 'volumes', '--read-only', join(home, 'nowhere'), '--home', home])).code,
      66,
    )
  })
})

test('a home is one process at a time: the second is told who has it', async () => {
  const home = await temporaryFolder()
  const words = ['store', 'put', '-', '--home', home]
  const holder = watched(spawn(join(root, 'bin/polyhistor'), words, { stdio: ['pipe', 'pipe', 'inherit'] }))
  try {
    // The holder needs a moment to open the store, and must not meet us there; it keeps it until its input ends.
    const holderOf = () => readFile(join(home, 'store/holder.json'), 'utf8').catch(() => '')
    await until('the first to hold the home', async () => (await holderOf()).includes(String(holder.pid)), 20)
    const refused = await polyhistor(['store', 'stat', '--home', home])
    assert.equal(refused.code, 75)
    assert.match(refused.errors, new RegExp(`${holder.pid}`))
  } finally {
    holder.stdin.end('done')
    await once(holder, 'close')
  }
  assert.equal((await polyhistor(['store', 'stat', '--home', home])).code, 0)
})
