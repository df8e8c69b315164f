// A simulated disk as one process sees it, until that ends or the power is cut.

import assert from 'node:assert/strict'
import type { Disk, DiskFile, FileInfo, OpenMode } from '../storage/disk.ts'
import type { DiskOperation, SimulatedDisk } from './disk.ts'
import { FileContent } from './file-content.ts'
import { type FileNode, FolderNode, type FolderTree } from './folder-tree.ts'
import {
  existing,
  existingFolder,
  fail,
  isInside,
  lookUp,
  namesOf,
  parentOf,
  placeOf,
  throughFile,
} from './tree-paths.ts'

export class MountedDisk implements Disk {
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
