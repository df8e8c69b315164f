// The names on a simulated disk: as the process sees them, and as they are on the platter.
//
// Invariants: syncing a folder makes its names on the platter the same as what is seen. After a power cut each change of
// names since then has happened or not, whole: a renamed file is under its old name or its new one, never both or none.

import type { FileContent } from './file-content.ts'
import type { SimulatedRandom } from './random.ts'

export interface FileNode {
  readonly kind: 'file'
  readonly content: FileContent
  isLinked: boolean
  handleCount: number
}

export class FolderNode {
  readonly kind = 'folder'
  /** As seen. */
  names = new Map<string, TreeNode>()
  /** On the platter. */
  readonly platter = new Map<string, TreeNode>()
}

export type TreeNode = FileNode | FolderNode

/** A name in a folder, and what it stands for. */
export interface Place {
  folder: FolderNode
  name: string
  node: TreeNode
}

interface Change {
  taken?: Place | undefined
  put?: Place | undefined
}

export class FolderTree {
  readonly root = new FolderNode()
  #unsynced: Change[] = []

  put(place: Place): void {
    place.folder.names.set(place.name, place.node)
    this.#unsynced.push({ put: place })
  }

  take(place: Place): void {
    place.folder.names.delete(place.name)
    this.#unsynced.push({ taken: place })
  }

  move(from: Place, to: Place): void {
    from.folder.names.delete(from.name)
    to.folder.names.set(to.name, to.node)
    this.#unsynced.push({ taken: from, put: to })
  }

  sync(folder: FolderNode): void {
    const touchedNames = new Map<FolderNode, Set<string>>()
    const isSynced = (place: Place): boolean =>
      place.folder === folder || touchedNames.get(place.folder)?.has(place.name) === true
    const synced = new Set<Change>()
    // A move touches two folders. What went before it on the same names must go with it, or would undo it later.
    for (const change of this.#unsynced.toReversed()) {
      const touched = [change.taken, change.put].filter((place) => place !== undefined)
      if (!touched.some(isSynced)) continue
      synced.add(change)
      for (const { folder, name } of touched) {
        const names = touchedNames.get(folder) ?? new Set()
        touchedNames.set(folder, names.add(name))
      }
    }
    for (const change of this.#unsynced) if (synced.has(change)) apply(change)
    this.#unsynced = this.#unsynced.filter((change) => !synced.has(change))
  }

  /** The power is cut. */
  crash(random: SimulatedRandom): void {
    const kept = [0, 1, 0.5][random.below(3)]!
    for (const change of this.#unsynced) if (random.chance(kept)) apply(change)
    this.#unsynced = []
    this.#forget(this.root)
  }

  *files(): Generator<FileNode> {
    const folders = [this.root]
    for (let folder = folders.pop(); folder; folder = folders.pop()) {
      for (const node of folder.names.values()) {
        if (node.kind === 'file') yield node
        else folders.push(node)
      }
    }
  }

  #forget(folder: FolderNode): void {
    folder.names = new Map(folder.platter)
    for (const node of folder.names.values()) if (node.kind === 'folder') this.#forget(node)
  }
}

function apply({ taken, put }: Change): void {
  if (taken && taken.folder.platter.get(taken.name) === taken.node) taken.folder.platter.delete(taken.name)
  if (put) put.folder.platter.set(put.name, put.node)
}
