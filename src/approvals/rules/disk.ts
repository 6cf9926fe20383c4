import { type Call, optionsOf, valuesOf } from "../call";
import { isBlockDevice, resolveOperand } from "../paths";
import { type CommandRule, HARMLESS_FLAGS } from "../rule";

const FORMATTERS = (
  "mkfs mke2fs mkdosfs mkntfs newfs newfs_apfs newfs_msdos newfs_hfs " +
  "mkfs.ext2 mkfs.ext3 mkfs.ext4 mkfs.xfs mkfs.btrfs mkfs.vfat mkfs.fat mkfs.msdos mkfs.ntfs mkfs.exfat mkfs.f2fs mkfs.minix " +
  "mkfs.cramfs mkfs.bfs mkfs.jfs mkfs.reiserfs mkfs.nilfs2 mkfs.udf mkfs.erofs mkfs.ocfs2 mkfs.gfs2 mkfs.zfs"
).split(" ");

/** Changes disks in a way that a person may want. */
export const diskRules: readonly CommandRule[] = [
  {
    key: "disk.copy",
    category: "disk",
    description: "copy blocks over a file, or from or to a disk",
    programs: ["dd", "dcfldd", "ddrescue"],
    when: ({ args }) =>
      args.some(
        (arg) =>
          /^of=(?!\/dev\/(?:null|stdout|fd)$)/.test(arg) || /^if=\/dev\/(?!u?random$|zero$|null$|stdin$)/.test(arg),
      ),
  },
  {
    key: "disk.partition",
    category: "disk",
    description: "change the partitions of a disk",
    programs: ["fdisk", "sfdisk", "cfdisk", "gdisk", "sgdisk", "parted", "partprobe", "kpartx"],
    unless: ["-l", "--list", "-p", "--print", "-d", "--dump", "-v", ...HARMLESS_FLAGS],
    when: ({ args }) => args.length > 0 && args.at(-1) !== "print",
  },
  {
    key: "disk.signatures",
    category: "disk",
    description: "erase what says how a disk is divided",
    programs: ["wipefs"],
    flags: ["-a", "--all", "-o", "--offset", "-f", "--force"],
    unless: ["-n", "--no-act", ...HARMLESS_FLAGS],
  },
  {
    key: "disk.unmount",
    category: "disk",
    description: "take file systems away while they are in use, or all of them",
    programs: ["umount"],
    flags: ["-a", "-f", "-l", "--all", "--force", "--lazy"],
    unless: HARMLESS_FLAGS,
  },
  {
    key: "disk.remount",
    category: "disk",
    description: "change how a file system in use may be used",
    programs: ["mount"],
    when: (call) => valuesOf(call, "-o", "--options").some((value) => /\bremount\b/.test(value)),
  },
  {
    key: "disk.volume",
    category: "disk",
    description: "remove or overwrite a volume",
    programs: ["lvremove", "vgremove", "pvremove", "lvreduce", "mkswap", "swapoff"],
    unless: HARMLESS_FLAGS,
  },
  {
    key: "disk.volume",
    category: "disk",
    description: "remove or overwrite a volume",
    programs: [
      "zpool",
      "zfs",
      "btrfs",
      "cryptsetup",
      "mdadm",
      "diskutil",
      "nvme",
      "hdparm",
      "tune2fs",
      "xfs_repair",
      "e2fsck",
      "fsck",
    ],
    when: ({ args }) =>
      args.some((arg) =>
        /^(?:destroy|labelclear|--stop|--fail|--remove|--create|luksFormat|erase|luksErase|--zero-superblock|--security-erase\S*|eraseDisk|eraseVolume|reformat|partitionDisk|secureErase|zeroDisk|randomDisk|apfs|format|sanitize|delete|rollback|-y|-f)$/.test(
          arg,
        ),
      ),
  },
];

/** Destroys whole disks. */
export const diskFloor: readonly CommandRule[] = [
  {
    key: "disk.format",
    category: "disk",
    description: "format a disk",
    programs: FORMATTERS,
    unless: HARMLESS_FLAGS,
    when: (call) => optionsOf(call).operands.length > 0,
  },
  {
    key: "disk.wipe",
    category: "disk",
    description: "wipe a disk",
    programs: ["blkdiscard", "shred", "wipe", "scrub"],
    unless: HARMLESS_FLAGS,
    when: (call) => devicesOf(call).length > 0,
  },
  {
    key: "disk.wipe",
    category: "disk",
    description: "wipe a disk",
    programs: ["badblocks"],
    flags: ["-w"],
    when: (call) => devicesOf(call).length > 0,
  },
  {
    key: "disk.wipe",
    category: "disk",
    description: "wipe a disk",
    programs: ["hdparm", "nvme"],
    when: (call) =>
      devicesOf(call).length > 0 && call.args.some((arg) => /^(?:--security-erase\S*|format|sanitize)$/.test(arg)),
  },
  {
    key: "disk.overwrite",
    category: "disk",
    description: "overwrite a disk",
    programs: ["dd", "dcfldd", "ddrescue"],
    when: ({ args, cwd }) =>
      args.some((arg) => arg.startsWith("of=") && isBlockDevice(resolveOperand(arg.slice(3), cwd))),
  },
];

function devicesOf(call: Call): readonly string[] {
  return optionsOf(call).operands.filter((operand) => isBlockDevice(resolveOperand(operand, call.cwd)));
}
