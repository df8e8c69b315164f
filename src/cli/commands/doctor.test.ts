import assert from 'node:assert/strict'
import { chmod, mkdir, readdir, rm, stat, utimes, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'vitest'
import type { Check } from '../../app/doctor/checkup.ts'
import { RealHomeLock } from '../../platform/real/disk/home-lock.ts'
import { pageCapture } from '../../store/fixtures/sample-captures.ts'
import { CommandHome } from '../fixtures/command-home.ts'
import { examine } from './doctor.ts'
import { showVersions } from './versions.ts'

const url = 'http://a.test/'
/** What this machine may lack is not asked for. */
const set = ['http.address=localhost:0', 'store.reserve=0B']

interface Examined {
  readonly ok: boolean
  readonly checks: readonly Check[]
  readonly mended?: readonly { name: string; isDone: boolean; outcome: string }[]
}

async function keptHome(): Promise<CommandHome> {
  const home = await CommandHome.make()
  await home.withStore((store) => store.append(pageCapture(url, Date.UTC(2020, 0, 1), 'a page')))
  return home
}

async function examined(home: CommandHome, mend = false): Promise<Examined & { code: number }> {
  const { code, output, errors } = await home.run((context) => examine(context, [], { mend }), {
    json: true,
    set,
  })
  assert.equal(errors, '')
  return { code, ...(JSON.parse(output.toString()) as Examined) }
}

const bad = ({ checks }: Examined) => checks.filter(({ state }) => state !== 'well' && state !== 'unknown')
const badNames = (found: Examined) => bad(found).map(({ name }) => name)

async function assertReadable(home: CommandHome): Promise<void> {
  const { output } = await home.run((context) => showVersions(context, [url], {}))
  assert.match(output.toString(), /20200101000000/)
}

test('a sound home is well, and mending it does nothing', async () => {
  const home = await keptHome()
  const found = await examined(home, true)
  assert.deepEqual(badNames(found), [])
  assert.deepEqual(found.mended, [])
  assert.equal(found.code, 0)
})

test('a home that is open to others, with what a killed process left, is told of and mended when told', async () => {
  const home = await keptHome()
  const left = [
    'peer.json',
    'store/spool/3.tmp',
    'crawl/spool/x.spool',
    'downloads/0.tmp',
    'token.0123456789ab.new',
  ]
  const others = ['config.toml', 'token', 'crawl/spool/notes.txt', 'identity.key.0123456789ab.new']
  for (const folder of ['store/spool', 'crawl/spool', 'downloads'])
    await mkdir(join(home.folder, folder), { recursive: true })
  for (const name of [...left, ...others]) await writeFile(join(home.folder, name), '')
  // The other draft is being written this moment.
  await utimes(join(home.folder, 'token.0123456789ab.new'), 1, 1)
  await writeFile(join(home.folder, 'store', 'index', 'unclosed'), '1\n')
  await chmod(home.folder, 0o755)

  const before = await examined(home)
  assert.deepEqual(badNames(before), ['privacy', 'leftovers', 'store'])
  assert.equal(before.code, 1)
  assert.match(bad(before)[1]!.finding, new RegExp(`^${left.length} files`))
  assert.equal((await stat(home.folder)).mode & 0o777, 0o755, 'nothing is changed unless told')

  const after = await examined(home, true)
  assert.deepEqual(badNames(after), [])
  assert.deepEqual(
    after.mended?.map(({ name, isDone }) => [name, isDone]),
    [
      ['privacy', true],
      ['leftovers', true],
      ['store', true],
    ],
  )
  assert.equal(after.code, 0)
  assert.equal((await stat(home.folder)).mode & 0o777, 0o700)
  for (const name of others) await stat(join(home.folder, name))
  await assertReadable(home)
})

test('a damaged format mark is written anew', async () => {
  const home = await keptHome()
  await writeFile(join(home.folder, 'store', 'format.json'), '{"pro')
  assert.deepEqual(badNames(await examined(home)), ['store'])
  assert.deepEqual(badNames(await examined(home, true)), [])
  await assertReadable(home)
})

test('a damaged or lost index is made anew from the volumes', async () => {
  const home = await keptHome()
  const index = join(home.folder, 'store', 'index')
  await writeFile(join(index, 'data.mdb'), Buffer.alloc(65_536, 7))
  assert.deepEqual(badNames(await examined(home)), ['store'])
  assert.deepEqual(badNames(await examined(home, true)), [])
  await assertReadable(home)
  assert((await readdir(join(home.folder, 'store'))).includes('index.old-1'), 'the old one is kept')

  await rm(index, { recursive: true })
  assert.deepEqual(badNames(await examined(home)), ['store'])
  assert.deepEqual(badNames(await examined(home, true)), [])
  await assertReadable(home)
})

test('what another process uses is not touched', async () => {
  const home = await keptHome()
  await mkdir(join(home.folder, 'downloads'))
  await writeFile(join(home.folder, 'downloads', '0.tmp'), 'in use')
  const lock = await new RealHomeLock().hold(join(home.folder, 'store'))
  try {
    const found = await examined(home, true)
    assert.deepEqual(badNames(found), [])
    assert.deepEqual(found.mended, [])
    await stat(join(home.folder, 'downloads', '0.tmp'))
  } finally {
    await lock.release()
  }
})

test('a folder that is no home is not closed to others', async () => {
  const home = await CommandHome.make()
  await writeFile(join(home.folder, 'letter.txt'), '')
  await chmod(home.folder, 0o755)
  await examined(home, true)
  assert.equal((await stat(home.folder)).mode & 0o777, 0o755)
})
