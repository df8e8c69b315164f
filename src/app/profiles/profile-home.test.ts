import assert from 'node:assert/strict'
import { mkdtemp, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onTestFinished, test } from 'vitest'
import { emptySession } from '../../platform/network/browser-session.ts'
import { MembershipFiles } from '../ring/membership-files.ts'
import { profileFolder } from './profile-folder.ts'
import {
  checkProfile,
  keepProfile,
  listProfiles,
  profileOf,
  removeProfile,
  sessionOf,
} from './profile-home.ts'

const mark = { name: 'me', createdAt: '2026-01-01', changedAt: '2026-01-02', url: 'https://a.test/' }

async function newHome(): Promise<string> {
  const home = await mkdtemp(join(tmpdir(), 'polyhistor-profiles-'))
  onTestFinished(() => rm(home, { recursive: true, force: true }))
  return home
}

test('a profile is kept for its owner’s eyes only, listed, and removed whole', async () => {
  const home = await newHome()
  const folder = profileFolder(home, 'me')
  await assert.rejects(checkProfile(folder, 'me'), { code: 'profile-unknown' })
  assert.deepEqual(await sessionOf(folder), emptySession)
  const session = { ...emptySession, origins: [{ origin: 'https://a.test', localStorage: [] }] }
  await keepProfile(folder, mark, session)
  await checkProfile(folder, 'me')
  assert.deepEqual(await sessionOf(folder), session)
  assert.deepEqual(
    (await listProfiles(home)).map(({ name }) => name),
    ['me'],
  )
  for (const path of [folder, join(folder, 'session.json')])
    assert.equal((await stat(path)).mode & 0o077, 0, path)
  await removeProfile(folder)
  assert.deepEqual(await listProfiles(home), [])
})

test.each(['', '..', '../x', 'A', 'a/b', '-a', 'a'.repeat(33), 'a.b'])('%j is no name', (name) => {
  assert.throws(() => profileFolder('/home', name), { code: 'profile-name' })
})

test('its home can be of no network: none is made, entered or found there', async () => {
  const home = await newHome()
  const files = new MembershipFiles(home)
  const file = await files.create('public', 'open')
  assert.ok(await files.network())
  await keepProfile(home, mark, emptySession)
  assert.equal(await files.network(), undefined)
  await assert.rejects(files.checkNotPrivate(), { code: 'network-private' })
  await assert.rejects(files.keep(file), { code: 'network-private' })
  await assert.rejects(files.create('another', 'open'), { code: 'network-private' })
})

test('a mark that cannot be read makes no home public', async () => {
  const home = await newHome()
  await writeFile(join(home, 'profile.json'), '{')
  await assert.rejects(profileOf(home), { code: 'profile-damaged' })
  await assert.rejects(new MembershipFiles(home).network(), { code: 'profile-damaged' })
  await keepProfile(home, mark, emptySession)
  await writeFile(join(home, 'session.json'), '{"cookies": 1}')
  await assert.rejects(sessionOf(home), { code: 'session-damaged' })
})
