// A disk in memory on virtual time, which fails when told to and forgets, at a power cut, what was not synced.
//
// Invariants: as the interface says of what survives; an operation takes effect at one moment between its call and its
// return, so operations that are not awaited may overtake each other, as on a real machine; at a power cut an operation
// under way has happened or not; files that were open are dead. Fails in the same cases, with the same codes, as the
// real disk does on Linux. Leaves out: links, permissions, block sizes.

import assert from 'node:assert/strict'
import {
  type Disk,
  DiskError,
  type DiskErrorCode,
  type DiskFile,
  type FileInfo,
  type OpenMode,
} from '../disk.ts'
import { FileContent } from './file-content.ts'
import { type FileNode, FolderNode, FolderTree, type Place, type TreeNode } from './folder-tree.ts'
import { Life, never } from './life.ts'
import type { SimulatedRandom } from './random.ts'
import type { Simulation } from './simulation.ts'

export type DiskOperation =
  | 'open'
  | 'stat'
  | 'list'
  | 'make'
  | 'rename'
  | 'remove'
  | 'measure'
  | 'sync-folder'
  | 'read'
  | 'write'
  | 'truncate'
  | 'sync'
  | 'close'

/** Which operations fail, and how. A rule without a path or an operation is for all of them. */
export interface FailureRule {
  path?: string | RegExp
  operation?: DiskOperation
  /** 1 when not given: every time. */
  probability?: number
  /** How many failures before the rule is spent. Without limit when not given. */
  times?: number
  /** 'disk-failure' when not given. */
  code?: DiskErrorCode
}

// A middling SSD. A sync is what costs; the rest goes to the page cache.
const syncMs = 2
const otherMs = 0.05
const bytesPerMs = 500_000

export class SimulatedDisk {
  readonly name: string
  /** May be changed while it runs, also below what is in use. */
  capacityBytes: number
  readonly #simulation: Simulation
  readonly #random: SimulatedRandom
  readonly #tree = new FolderTree()
  readonly #rules = new Set<FailureRule & { times: number }>()
  readonly #underWay = new Set<() => void>()
  #usedBytes = 0
  #powerCuts = 0

  constructor(
    needs: { simulation: Simulation; random?: SimulatedRandom },
    options: { name?: string; capacityBytes?: number } = {},
  ) {
    this.#simulation = needs.simulation
    this.name = options.name ?? 'disk'
    this.#random = needs.random ?? needs.simulation.random.fork(this.name)
    this.capacityBytes = options.capacityBytes ?? Number.MAX_SAFE_INTEGER
  }

  get usedBytes(): number {
    return this.#usedBytes
  }

  /** The disk as one process sees it, until that ends or the power is cut. */
  mount(life: Life = new Life()): Disk {
    const powerCuts = this.#powerCuts
    return new MountedDisk(this, this.#tree, () => life.isOver || this.#powerCuts !== powerCuts)
  }

  /** Cuts the power. What was mounted is dead; mount again for what is left. */
  crash(): void {
    this.#simulation.note(this.name, 'crash', '')
    this.#powerCuts++
    for (const effect of this.#underWay) if (this.#random.chance(0.5)) tryTo(effect)
    this.#underWay.clear()
    this.#tree.crash(this.#random)
    this.#usedBytes = 0
    for (const file of this.#tree.files()) {
      file.content.crash(this.#random)
      file.isLinked = true
      file.handleCount = 0
      this.#usedBytes += file.content.sizeBytes
    }
  }

  /** From now on operations fail by this rule, until it is spent or stopped. */
  failWhen(rule: FailureRule): { stop(): void } {
    const kept = { ...rule, times: rule.times ?? Number.POSITIVE_INFINITY }
    this.#rules.add(kept)
    return { stop: () => this.#rules.delete(kept) }
  }

  /** Flips a bit of a file, on the platter too: at `position`, or anywhere; the bit that is given, or any. Returns where. */
  rot(path: string, position?: number, bit?: number): number {
    const node = existing(this.#tree, path)
    assert(node.kind === 'file' && node.content.sizeBytes > 0, `nothing to rot in ${path}`)
    const at = position ?? this.#random.below(node.content.sizeBytes)
    node.content.rot(at, bit ?? this.#random.below(8))
    this.#simulation.note(this.name, 'rot', path)
    return at
  }

  /** For mounts: lets time pass, then fails by a rule or has its effect. */
  perform<T>(
    isDead: () => boolean,
    operation: DiskOperation,
    path: string,
    sizeBytes: number,
    effect: () => T,
    whenFailed?: () => void,
  ): Promise<T> {
    if (isDead()) return never()
    return new Promise((resolve, reject) => {
      const attempt = (): T => {
        this.#failByRule(operation, path, whenFailed)
        return effect()
      }
      this.#underWay.add(attempt)
      this.#simulation.schedule(this.#durationMs(operation, sizeBytes), () => {
        if (!this.#underWay.delete(attempt)) return
        this.#simulation.note(this.name, operation, path)
        try {
          const result = attempt()
          if (!isDead()) resolve(result)
        } catch (error) {
          if (!isDead()) reject(error)
        }
      })
    })
  }

  /** For mounts: room for so many bytes more, or what room there is. */
  roomFor(bytes: number): number {
    return Math.max(0, Math.min(bytes, this.capacityBytes - this.#usedBytes))
  }

  /** For mounts: a file grew or shrank by so much, or is gone. */
  use(bytes: number): void {
    this.#usedBytes += bytes
  }

  get random(): SimulatedRandom {
    return this.#random
  }

  #durationMs(operation: DiskOperation, sizeBytes: number): number {
    const typical = operation === 'sync' || operation === 'sync-folder' ? syncMs : otherMs
    return typical * this.#random.between(0.5, 2) + sizeBytes / bytesPerMs
  }

  #failByRule(operation: DiskOperation, path: string, whenFailed?: () => void): void {
    for (const rule of this.#rules) {
      if (rule.operation !== undefined && rule.operation !== operation) continue
      if (typeof rule.path === 'string' ? rule.path !== path : rule.path?.test(path) === false) continue
      if (!this.#random.chance(rule.probability ?? 1)) continue
      if (--rule.times <= 0) this.#rules.delete(rule)
      whenFailed?.()
      throw fail(rule.code ?? 'disk-failure', path, `${operation} failed, as told`)
    }
  }
}

class MountedDisk implements Disk {
  readonly #disk: SimulatedDisk
  readonly #tree: FolderTree
  readonly #isDead: () => boolean

  constructor(disk: SimulatedDisk, tree: FolderTree, isDead: () => boolean) {
    this.#disk = disk
    this.#tree = tree
    this.#isDead = isDead
  }

  open(path: string, mode: OpenMode): Promise<DiskFile> {
    return this.#perform('open', path, () => {
      const node = mode === 'create' ? this.#create(path) : existing(this.#tree, path)
      if (node.kind === 'folder') throw fail('disk-failure', path, 'it is not a file')
      node.handleCount++
      return new MountedFile(path, this.#disk, node, this.#isDead, mode !== 'read')
    })
  }

  #create(path: string): FileNode {
    const { folder, name } = parentOf(this.#tree, path)
    if (name === '' || folder.names.has(name)) throw fail('disk-already-exists', path, 'it exists already')
    const node: FileNode = { kind: 'file', content: new FileContent(), isLinked: true, handleCount: 0 }
    this.#tree.put({ folder, name, node })
    return node
  }

  stat(path: string): Promise<FileInfo | undefined> {
    return this.#perform('stat', path, () => {
      const node = lookUp(this.#tree, path)
      if (node === undefined || node === 'through-a-file') return undefined
      return { kind: node.kind, sizeBytes: node.kind === 'file' ? node.content.sizeBytes : 0 }
    })
  }

  list(folder: string): Promise<string[]> {
    return this.#perform('list', folder, () => [...existingFolder(this.#tree, folder).names.keys()].sort())
  }

  makeFolder(path: string): Promise<void> {
    return this.#perform('make', path, () => {
      let folder = this.#tree.root
      const names = namesOf(path)
      for (const [index, name] of names.entries()) {
        let node = folder.names.get(name)
        if (node?.kind === 'file') {
          if (index === names.length - 1) throw fail('disk-already-exists', path, 'it exists already')
          throw throughFile(path)
        }
        if (node === undefined) this.#tree.put({ folder, name, node: (node = new FolderNode()) })
        folder = node
      }
    })
  }

  rename(from: string, to: string): Promise<void> {
    return this.#perform('rename', from, () => {
      // As Linux does: both ways there first, then what is at their ends.
      parentOf(this.#tree, from)
      const { folder, name } = parentOf(this.#tree, to, from)
      const source = placeOf(this.#tree, from)
      const target = folder.names.get(name)
      if (target === source.node) return
      if (target && target.kind !== source.node.kind)
        throw fail('disk-failure', from, `${to} is of another kind`)
      if (target?.kind === 'folder' && target.names.size > 0)
        throw fail('disk-failure', from, `${to} is not empty`)
      if (isInside(to, from)) throw fail('disk-failure', from, `${to} is inside it`)
      this.#tree.move(source, { folder, name, node: source.node })
      if (target?.kind === 'file') this.#unlink(target)
    })
  }

  remove(path: string): Promise<void> {
    return this.#perform('remove', path, () => {
      const place = placeOf(this.#tree, path)
      if (place.node.kind === 'folder' && place.node.names.size > 0)
        throw fail('disk-failure', path, 'it is not empty')
      this.#tree.take(place)
      if (place.node.kind === 'file') this.#unlink(place.node)
    })
  }

  syncFolder(folder: string): Promise<void> {
    return this.#perform('sync-folder', folder, () => this.#tree.sync(existingFolder(this.#tree, folder)))
  }

  freeBytes(folder: string): Promise<number> {
    return this.#perform('measure', folder, () => {
      existing(this.#tree, folder)
      return this.#disk.roomFor(Number.POSITIVE_INFINITY)
    })
  }

  #unlink(file: FileNode): void {
    file.isLinked = false
    if (file.handleCount === 0) this.#disk.use(-file.content.sizeBytes)
  }

  #perform<T>(operation: DiskOperation, path: string, effect: () => T): Promise<T> {
    return this.#disk.perform(this.#isDead, operation, path, 0, effect)
  }
}

class MountedFile implements DiskFile {
  readonly path: string
  readonly #disk: SimulatedDisk
  readonly #file: FileNode
  readonly #isDead: () => boolean
  readonly #isWritable: boolean
  #closed: Promise<void> | undefined

  constructor(path: string, disk: SimulatedDisk, file: FileNode, isDead: () => boolean, isWritable: boolean) {
    this.path = path
    this.#disk = disk
    this.#file = file
    this.#isDead = isDead
    this.#isWritable = isWritable
  }

  sizeBytes(): Promise<number> {
    return this.#perform('stat', 0, () => this.#file.content.sizeBytes)
  }

  read(position: number, length: number, memory?: Uint8Array): Promise<Uint8Array> {
    assert(position >= 0 && length >= 0)
    return this.#perform('read', length, () => {
      const bytes = this.#file.content.read(position, length)
      if (memory === undefined || memory.length < length) return bytes
      memory.set(bytes)
      return memory.subarray(0, bytes.length)
    })
  }

  write(position: number, ...chunks: Uint8Array[]): Promise<void> {
    assert(position >= 0)
    const length = chunks.reduce((sum, chunk) => sum + chunk.length, 0)
    return this.#perform('write', length, () => {
      this.#checkWritable()
      if (length > 0) this.#write(position, chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks, length))
    })
  }

  #write(position: number, bytes: Uint8Array): void {
    const { content } = this.#file
    const growth = Math.max(0, position + bytes.length - content.sizeBytes)
    const missing = growth - this.#disk.roomFor(growth)
    if (missing === 0) {
      content.write(position, bytes)
      this.#disk.use(growth)
      return
    }
    // As much as there is room for, or less.
    const part = bytes.subarray(0, this.#disk.random.below(Math.max(0, bytes.length - missing) + 1))
    if (part.length > 0) this.#write(position, part)
    throw fail('disk-full', this.path, 'the disk is full')
  }

  truncate(sizeBytes: number): Promise<void> {
    assert(sizeBytes >= 0)
    return this.#perform('truncate', 0, () => {
      this.#checkWritable()
      const growth = sizeBytes - this.#file.content.sizeBytes
      if (growth > this.#disk.roomFor(Math.max(0, growth)))
        throw fail('disk-full', this.path, 'the disk is full')
      this.#file.content.truncate(sizeBytes)
      this.#disk.use(growth)
    })
  }

  sync(): Promise<void> {
    const { content } = this.#file
    return this.#perform(
      'sync',
      0,
      () => content.sync(),
      () => content.failSync(this.#disk.random),
    )
  }

  close(): Promise<void> {
    this.#closed ??= this.#disk.perform(this.#isDead, 'close', this.path, 0, () => {
      this.#file.handleCount--
      if (!this.#file.isLinked && this.#file.handleCount === 0) this.#disk.use(-this.#file.content.sizeBytes)
    })
    return this.#closed
  }

  #checkWritable(): void {
    if (!this.#isWritable) throw fail('disk-failure', this.path, 'it is open for reading only')
  }

  async #perform<T>(
    operation: DiskOperation,
    sizeBytes: number,
    effect: () => T,
    whenFailed?: () => void,
  ): Promise<T> {
    assert(!this.#closed, 'file is closed')
    return this.#disk.perform(this.#isDead, operation, this.path, sizeBytes, effect, whenFailed)
  }
}

function namesOf(path: string): string[] {
  assert(path.startsWith('/'), `not an absolute path: ${path}`)
  return path.split('/').filter((name) => name !== '')
}

function lookUp(tree: FolderTree, path: string): TreeNode | 'through-a-file' | undefined {
  let node: TreeNode = tree.root
  for (const name of namesOf(path)) {
    if (node.kind === 'file') return 'through-a-file'
    const next = node.names.get(name)
    if (next === undefined) return undefined
    node = next
  }
  return node
}

// `asked` is the path that the operation was given, which its failure names.
function existing(tree: FolderTree, path: string, asked = path): TreeNode {
  const node = lookUp(tree, path)
  if (node === undefined) throw fail('disk-not-found', asked, 'it does not exist')
  if (node === 'through-a-file') throw throughFile(asked)
  return node
}

function existingFolder(tree: FolderTree, path: string, asked = path): FolderNode {
  const node = existing(tree, path, asked)
  if (node.kind === 'file') throw throughFile(asked)
  return node
}

function parentOf(tree: FolderTree, path: string, asked = path): { folder: FolderNode; name: string } {
  const names = namesOf(path)
  const folder = existingFolder(tree, `/${names.slice(0, -1).join('/')}`, asked)
  return { folder, name: names.at(-1) ?? '' }
}

function placeOf(tree: FolderTree, path: string): Place {
  const { folder, name } = parentOf(tree, path)
  const node = folder.names.get(name)
  if (node === undefined) throw fail('disk-not-found', path, 'it does not exist')
  return { folder, name, node }
}

function isInside(path: string, folder: string): boolean {
  return `/${namesOf(path).join('/')}`.startsWith(`/${namesOf(folder).join('/')}/`)
}

function fail(code: DiskErrorCode, path: string, reason: string): DiskError {
  return new DiskError(code, path, `Simulated disk, ${path}: ${reason}.`)
}

function throughFile(path: string): DiskError {
  return fail('disk-failure', path, 'a file is where a folder should be')
}

function tryTo(effect: () => void): void {
  try {
    effect()
  } catch (error) {
    if (!(error instanceof DiskError)) throw error
  }
}
