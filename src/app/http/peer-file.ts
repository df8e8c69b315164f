// What a home says of its running peer, for the commands of that home: where it answers, and the token to write with.
//
// All files are for the owner's eyes only. `token` stays: whoever has it may write, whenever the peer runs. So does
// `browser-secret`, which the cookies of the owner's browsers are made from: without it they are signed out. `peer.json`
// is there while the peer is; left over from one that was killed it names nobody, which whoever asks there finds out.

import { join } from 'node:path'
import type { Random } from '../../platform/random.ts'
import { realPrivateFiles } from '../../platform/real/private-files.ts'
import { RealRandom } from '../../platform/real/random.ts'
import type { PrivateFiles } from '../../platform/storage/private-files.ts'

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

type SecretName = 'token' | 'browser-secret'

interface SecretNeeds {
  readonly files: PrivateFiles
  readonly random: Random
}

/** For the commands of a home. */
const onThisMachine: SecretNeeds = { files: realPrivateFiles, random: new RealRandom() }

export async function readPeerFile(home: string): Promise<PeerFile | undefined> {
  try {
    const bytes = await realPrivateFiles.read(join(home, fileName))
    if (bytes === undefined) return undefined
    const file = JSON.parse(Buffer.from(bytes).toString('utf8')) as Partial<PeerFile>
    const { url, token, instance, pid } = file
    if (typeof url !== 'string' || typeof token !== 'string' || typeof instance !== 'string') return undefined
    return { url, token, instance, pid: Number(pid) }
  } catch {
    return undefined
  }
}

export async function writePeerFile(home: string, file: PeerFile, files = realPrivateFiles): Promise<void> {
  await files.write(join(home, fileName), `${JSON.stringify(file)}\n`)
}

export async function removePeerFile(home: string, files = realPrivateFiles): Promise<void> {
  await files.remove(join(home, fileName))
}

/** A secret of this home, made up when there is none. */
export async function secretOf(home: string, name: SecretName, needs = onThisMachine): Promise<string> {
  const path = join(home, name)
  const bytes = await needs.files.read(path).catch(() => undefined)
  const secret = Buffer.from(bytes ?? [])
    .toString('utf8')
    .trim()
  if (!/^[\w-]{43}$/.test(secret)) return newSecret(home, name, needs)
  await needs.files.protect(path)
  return secret
}

export async function newSecret(home: string, name: SecretName, needs = onThisMachine): Promise<string> {
  const made = Buffer.from(needs.random.bytes(secretBytes)).toString('base64url')
  await needs.files.write(join(home, name), `${made}\n`)
  return made
}

/** The next peer of this home makes up a new one. */
export async function removeSecret(home: string, name: SecretName): Promise<void> {
  await realPrivateFiles.remove(join(home, name))
}
