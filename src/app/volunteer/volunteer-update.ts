// Updates of a volunteer, by the process that started it: the volunteer itself may start no other and write nothing but its own folder.
//
//   volunteer-versions/network.json   whose key is believed, from the first invitation: the volunteer cannot write it
//   volunteer-versions/1.2.3/package  a version that was installed
//   volunteer-versions/current.json   which of them is run
//
// Invariants: what is installed was signed by the network's key, is later than the program that runs, and its package has the digest that
// was signed. With it comes the lock file of its dependencies, by which npm checks each of them; no script of any package runs. A version
// is named in current.json only when all of it is there.

import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { copyFile, mkdir, mkdtemp, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { PolyhistorError } from '../../errors.ts'
import { type ArchiveNetwork, readNetwork, writeNetwork } from '../../network/membership/archive-network.ts'
import { fieldsOf } from '../../network/membership/fields.ts'
import { readInvitation } from '../../network/membership/invitation.ts'
import { isLaterVersion, isOfNetwork, type Release, readRelease } from '../../network/releases/release.ts'
import { MembershipFiles } from '../ring/membership-files.ts'
import { releaseName } from './volunteer-exit.ts'

export class UpdateFailed extends PolyhistorError {
  constructor(reason: string) {
    super('update-failed', `The update was not made: ${reason}.`)
  }
}

interface UpdateOptions {
  /** The home; the volunteer's own folder lies in it. */
  readonly home: string
  readonly volunteerFolder: string
  /** Of the program that runs. */
  readonly version: string
}

/** Runs a program to its end; rejects when it fails. */
type RunProgram = (command: string, words: readonly string[], folder: string) => Promise<void>

/** Of npm. */
const packageName = 'polyhistor'

export class VolunteerUpdate {
  readonly #options: UpdateOptions
  readonly #run: RunProgram
  readonly #folder: string

  constructor(needs: { readonly run: RunProgram }, options: UpdateOptions) {
    this.#run = needs.run
    this.#options = options
    this.#folder = join(options.home, 'volunteer-versions')
  }

  /** Before the volunteer runs: from now on this network's key is believed. */
  async begin(invitation: string | undefined): Promise<void> {
    await mkdir(this.#folder, { recursive: true, mode: 0o700 })
    const invited = invitation === undefined ? undefined : readInvitation(invitation).network
    if (invited === undefined && (await this.#network()) !== undefined) return
    const known = invited ?? (await new MembershipFiles(this.#options.volunteerFolder).network())?.network
    if (known !== undefined) await this.#write('network.json', JSON.stringify(writeNetwork(known)))
  }

  /** The command of a later version that was installed before; undefined where there is none. */
  async installed(): Promise<string | undefined> {
    const current = await this.#read('current.json')
    const version = current === undefined ? undefined : (JSON.parse(current) as { version?: unknown }).version
    if (typeof version !== 'string' || !isLaterVersion(version, this.#options.version)) return undefined
    return commandOf(join(this.#folder, version))
  }

  /** What the volunteer has left; undefined where that is nothing to update to. */
  async wanted(): Promise<Release | undefined> {
    const bytes = await readFile(join(this.#options.volunteerFolder, releaseName)).catch(() => undefined)
    const release = bytes && readRelease(bytes)
    const network = await this.#network()
    if (release === undefined || network === undefined || !isOfNetwork(release, network)) return undefined
    return isLaterVersion(release.version, this.#options.version) ? release : undefined
  }

  /** Gives the command of the new version. Rejects with 'update-failed'. */
  async install({ version, integrity }: Release): Promise<string> {
    const draft = await mkdtemp(join(this.#folder, `draft-${version}-`))
    try {
      const package_ = join(draft, 'package')
      const tarball = await this.#fetch(version, draft)
      if ((await integrityOf(tarball)) !== integrity)
        throw new UpdateFailed(`the package of version ${version} is not the one that was signed`)
      await this.#do('tar', ['-xzf', tarball, '-C', draft], draft)
      await this.#check(package_, version)
      await copyFile(join(package_, 'dist', 'lock.json'), join(package_, 'package-lock.json'))
      await this.#do('npm', ['ci', '--omit=dev', '--ignore-scripts', '--no-audit', '--no-fund'], package_)
      const folder = join(this.#folder, version)
      await rm(folder, { recursive: true, force: true })
      await rename(draft, folder)
      await this.#write('current.json', JSON.stringify({ version }))
      return commandOf(folder)
    } catch (error) {
      if (error instanceof PolyhistorError) throw error
      throw new UpdateFailed((error as Error).message)
    } finally {
      await rm(draft, { recursive: true, force: true })
    }
  }

  async #fetch(version: string, folder: string): Promise<string> {
    const words = ['pack', `${packageName}@${version}`, '--ignore-scripts', '--pack-destination', folder]
    await this.#do('npm', words, folder)
    const [tarball] = (await readdir(folder)).filter((name) => name.endsWith('.tgz'))
    if (tarball === undefined) throw new UpdateFailed('npm brought no package')
    return join(folder, tarball)
  }

  /** The signature names a version, and the package says which it is. */
  async #check(folder: string, version: string): Promise<void> {
    const said = JSON.parse(await readFile(join(folder, 'package.json'), 'utf8')) as Record<string, unknown>
    if (said.name !== packageName || said.version !== version)
      throw new UpdateFailed(`the package says that it is ${String(said.name)} ${String(said.version)}`)
  }

  async #do(command: string, words: readonly string[], folder: string): Promise<void> {
    try {
      await this.#run(command, words, folder)
    } catch (error) {
      throw new UpdateFailed(`${command} ${words[0]} failed (${(error as Error).message})`)
    }
  }

  async #network(): Promise<ArchiveNetwork | undefined> {
    const text = await this.#read('network.json')
    return text === undefined ? undefined : readNetwork(fieldsOf(JSON.parse(text)))
  }

  #read(name: string): Promise<string | undefined> {
    return readFile(join(this.#folder, name), 'utf8').catch((error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return undefined
      throw error
    })
  }

  /** Whole or not at all. */
  async #write(name: string, content: string): Promise<void> {
    const draft = join(this.#folder, `${name}.draft`)
    await writeFile(draft, content, { mode: 0o600 })
    await rename(draft, join(this.#folder, name))
  }
}

function commandOf(folder: string): string {
  return join(folder, 'package', 'bin', 'polyhistor.cjs')
}

/** As npm writes it. */
async function integrityOf(path: string): Promise<string> {
  const hash = createHash('sha512')
  await pipeline(createReadStream(path), hash)
  return `sha512-${hash.digest('base64')}`
}
