import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, test } from 'vitest'
import { networkNumber, randomNumber } from '../../network/membership/fixtures/networks.ts'
import { invite, writeInvitation } from '../../network/membership/invitation.ts'
import { signRelease, writeRelease } from '../../network/releases/release.ts'
import { VolunteerUpdate } from './volunteer-update.ts'

const { network, seed } = networkNumber(1)
const stranger = networkNumber(2)
const invitation = writeInvitation(invite(network, seed, randomNumber(1)))
const tarball = 'what npm brings'
const integrity = `sha512-${createHash('sha512').update(tarball).digest('base64')}`
const release = signRelease(network, seed, { version: '1.2.3', integrity })

let home = ''
let said: string[] = []
let packed = { name: 'polyhistor', version: '1.2.3' }

beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), 'polyhistor-update-'))
  await mkdir(join(home, 'volunteer'))
  said = []
  packed = { name: 'polyhistor', version: '1.2.3' }
})
afterEach(() => rm(home, { recursive: true, force: true }))

/** As npm and tar do it. */
async function run(command: string, words: readonly string[], folder: string): Promise<void> {
  said.push(`${command} ${words[0]}`)
  if (words[0] === 'pack') await writeFile(join(folder, 'polyhistor.tgz'), tarball)
  if (command === 'tar') {
    await mkdir(join(folder, 'package', 'dist'), { recursive: true })
    await writeFile(join(folder, 'package', 'package.json'), JSON.stringify(packed))
    await writeFile(join(folder, 'package', 'dist', 'lock.json'), '{"lock":true}')
  }
  if (words[0] === 'ci') {
    assert.ok(words.includes('--ignore-scripts'))
    assert.equal(await readFile(join(folder, 'package-lock.json'), 'utf8'), '{"lock":true}')
  }
}

function update(version = '0.1.0'): VolunteerUpdate {
  return new VolunteerUpdate({ run }, { home, volunteerFolder: join(home, 'volunteer'), version })
}

async function leave(bytes: Uint8Array): Promise<void> {
  await writeFile(join(home, 'volunteer', 'release.json'), bytes)
}

test('a later version that the network has signed is installed, and run from then on', async () => {
  const updates = update()
  await updates.begin(invitation)
  assert.equal(await updates.wanted(), undefined)
  await leave(writeRelease(release))
  assert.deepEqual(await updates.wanted(), release)
  const command = await updates.install(release)
  assert.equal(command, join(home, 'volunteer-versions', '1.2.3', 'package', 'bin', 'polyhistor.cjs'))
  assert.deepEqual(said, ['npm pack', 'tar -xzf', 'npm ci'])
  assert.equal(await update().installed(), command)
  // The new one is not older than itself.
  assert.equal(await update('1.2.3').installed(), undefined)
  assert.equal(await update('1.2.3').wanted(), undefined)
  assert.equal(await update('2.0.0').wanted(), undefined)
})

test('what another key has signed is none, also when the volunteer changes its own network', async () => {
  await update().begin(invitation)
  await leave(writeRelease(signRelease(stranger.network, stranger.seed, { version: '9.0.0', integrity })))
  assert.equal(await update().wanted(), undefined)
  await leave(writeRelease({ ...release, version: '1.2.4' }))
  assert.equal(await update().wanted(), undefined)
  await leave(Buffer.from('{"version":'))
  assert.equal(await update().wanted(), undefined)
  // Whom it believes stands where the volunteer cannot write, and stays when the next start brings no invitation.
  await writeFile(join(home, 'volunteer', 'network.json'), '{"forged":true}')
  await update().begin(undefined)
  await leave(writeRelease(release))
  assert.deepEqual(await update().wanted(), release)
})

test('a package with another digest is not even unpacked', async () => {
  await update().begin(invitation)
  const another = `sha512-${Buffer.alloc(64).toString('base64')}`
  const wrong = signRelease(network, seed, { version: '1.2.3', integrity: another })
  await assert.rejects(update().install(wrong), { code: 'update-failed' })
  assert.deepEqual(said, ['npm pack'])
  assert.equal(await update().installed(), undefined)
  assert.deepEqual(await readdir(join(home, 'volunteer-versions')), ['network.json'])
})

test('a package of another version than it was signed for is not installed', async () => {
  await update().begin(invitation)
  packed = { name: 'polyhistor', version: '1.2.2' }
  await assert.rejects(update().install(release), { code: 'update-failed' })
  assert.deepEqual(said, ['npm pack', 'tar -xzf'])
  assert.equal(await update().installed(), undefined)
})

test('where npm fails nothing changes', async () => {
  await update().begin(invitation)
  const failing = new VolunteerUpdate(
    { run: () => Promise.reject(new Error('no network')) },
    { home, volunteerFolder: join(home, 'volunteer'), version: '0.1.0' },
  )
  await assert.rejects(failing.install(release), /npm pack failed \(no network\)/)
  assert.equal(await failing.installed(), undefined)
})
