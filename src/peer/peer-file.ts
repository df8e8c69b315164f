// What a home says of its running peer, for the commands of that home: where it answers, and the token to write with.
//
// All files are for the owner's eyes only. `token` stays: whoever has it may write, whenever the peer runs. So does
// `browser-secret`, which the cookies of the owner's browsers are made from: without it they are signed out. `peer.json`
// is there while the peer is; left over from one that was killed it names nobody, which whoever asks there finds out.

import { randomBytes } from 'node:crypto'
import { chmod, open, readFile, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { makeFolder } from '../world/real/folder-making.ts'

export interface PeerFile {
  /** Where it answers: `http://localhost:7070`. */
  readonly url: string
  readonly token: string
  /** Made up at each start: whoever answers there and does not know it is another program. */
  readonly instance: string
  readonly pid: number
}

const fileName = 'peer.json'
const secretBytes = 32

export type SecretName = 'token' | 'browser-secret'

export async function readPeerFile(home: string): Promise<PeerFile | undefined> {
  try {
    const file = JSON.parse(await readFile(join(home, fileName), 'utf8')) as Partial<PeerFile>
    const { url, token, instance, pid } = file
    if (typeof url !== 'string' || typeof token !== 'string' || typeof instance !== 'string') return undefined
    return { url, token, instance, pid: Number(pid) }
  } catch {
    return undefined
  }
}

export async function writePeerFile(home: string, file: PeerFile): Promise<void> {
  await writePrivately(home, fileName, `${JSON.stringify(file)}\n`)
}

export async function removePeerFile(home: string): Promise<void> {
  await rm(join(home, fileName), { force: true })
}

/** A secret of this home, made up when there is none. */
export async function secretOf(home: string, name: SecretName): Promise<string> {
  const path = join(home, name)
  const secret = (await readFile(path, 'utf8').catch(() => '')).trim()
  if (!/^[\w-]{43}$/.test(secret)) return newSecret(home, name)
  // A copy or a backup may have opened it to others.
  await chmod(path, 0o600)
  return secret
}

export async function newSecret(home: string, name: SecretName): Promise<string> {
  const made = randomBytes(secretBytes).toString('base64url')
  await writePrivately(home, name, `${made}\n`)
  return made
}

/** The next peer of this home makes up a new one. */
export async function removeSecret(home: string, name: SecretName): Promise<void> {
  await rm(join(home, name), { force: true })
}

/** Made with its mode, not changed to it: there is no moment at which others could open it. */
export async function writePrivately(home: string, name: string, text: string): Promise<void> {
  await makeFolder(home)
  const draft = join(home, `${name}.new`)
  await rm(draft, { force: true })
  const file = await open(draft, 'wx', 0o600)
  try {
    await file.writeFile(text)
    await file.sync()
  } finally {
    await file.close()
  }
  await rename(draft, join(home, name))
}
