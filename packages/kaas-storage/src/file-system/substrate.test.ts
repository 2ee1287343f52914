import { mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { describe, expect, test } from "vitest";
import { TestRandom } from "../testing/test-clock.js";
import { cautionAbout, mountOf, objectionTo, parseMountInfo } from "./mount-info.js";
import { checkSubstrate } from "./substrate.js";

const NFS_OPTIONS = "rw,vers=4.1,rsize=1048576,wsize=1048576,namlen=255,hard,proto=tcp,timeo=600,local_lock=none";

const nfs = (options: string, type = "nfs4") =>
  parseMountInfo(`71 29 0:45 / /data rw,relatime shared:5 master:2 - ${type} server:/vol ${options}`)[0];

describe("a mount", () => {
  test("is found by its longest mount point, the last of several", () => {
    const mounts = parseMountInfo(
      [
        "1 0 8:1 / / rw - ext4 /dev/sda rw",
        "2 1 0:45 / /data rw - nfs4 s:/a rw,vers=4.1",
        "3 1 0:46 / /data/my\\040disk rw,nosuid - tmpfs none rw",
        "4 1 0:47 / /data rw - nfs4 s:/b rw,vers=4.2",
        "",
      ].join("\n"),
    );
    expect(mountOf("/data/x", mounts)?.source).toBe("s:/b");
    expect(mountOf("/data", mounts)?.source).toBe("s:/b");
    expect(mountOf("/data/my disk", mounts)?.type).toBe("tmpfs");
    expect(mountOf("/data2", mounts)?.type).toBe("ext4");
    expect(mounts[2]?.options.has("nosuid")).toBe(true);
  });

  test("of NFS 4 that waits for its server is accepted, and so is a local one", () => {
    const mount = nfs(NFS_OPTIONS);
    expect(mount && objectionTo(mount)).toBeUndefined();
    const local = parseMountInfo("1 0 8:1 / / rw - ext4 /dev/sda rw,soft")[0];
    expect(local && objectionTo(local)).toBeUndefined();
  });

  test.each([
    ["soft", NFS_OPTIONS.replace("hard", "soft"), "mount it with hard"],
    ["softerr", NFS_OPTIONS.replace("hard", "softerr"), "mount it with hard"],
    ["softreval", `${NFS_OPTIONS},softreval`, "without softreval"],
    ["nocto", `${NFS_OPTIONS},nocto`, "without nocto"],
  ])("with %s is refused by name, with what to do", (option, options, fix) => {
    const mount = nfs(options);
    const objection = mount && objectionTo(mount);
    expect(objection).toContain(`the option ${option},`);
    expect(objection).toContain(fix);
  });

  test.each([
    ["nfs", NFS_OPTIONS.replace("vers=4.1", "vers=3")],
    ["nfs4", NFS_OPTIONS.replace("vers=4.1", "vers=3")],
    ["nfs", NFS_OPTIONS.replace("vers=4.1,", "")],
  ])("of type %s and a version below 4 is refused", (type, options) => {
    const mount = nfs(options, type);
    expect(mount && objectionTo(mount)).toContain("vers=4.1");
  });

  test.each(["cifs", "smb3", "9p", "fuse.s3fs", "fuse.gcsfuse", "fuse.glusterfs"])(
    "of type %s is refused, with what to use",
    (type) => {
      const mount = nfs("rw", type);
      expect(mount && objectionTo(mount)).toMatch(new RegExp(`^/data is of the type ${type}, which .*use NFS 4.1`));
    },
  );

  test.each(["ceph", "lustre", "gpfs", "fuse.juicefs"])("of type %s has to show that it is fit", (type) => {
    const mount = nfs("rw", type);
    expect(mount && objectionTo(mount)).toBeUndefined();
  });
});

describe("a mount that one process has to itself", () => {
  test.each([
    ["nfs4", NFS_OPTIONS.replace("hard", "soft"), "soft, which makes writes fail"],
    ["nfs", NFS_OPTIONS.replace("hard", "softerr").replace("4.1", "3"), "softerr, which makes writes fail"],
    ["ext4", "rw,barrier=0", "barrier=0, so a power loss"],
    ["xfs", "rw,nobarrier,noquota", "nobarrier, so a power loss"],
  ])("of type %s with %s is warned of", (type, options, reason) => {
    const mount = nfs(options, type);
    expect(mount && cautionAbout(mount)).toContain(`/data is mounted with the option ${reason}`);
  });

  test.each([
    ["nfs4", NFS_OPTIONS],
    ["nfs", `${NFS_OPTIONS.replace("4.1", "3")},nocto`],
    ["ext4", "rw,errors=remount-ro"],
  ])("of type %s with %s is not", (type, options) => {
    const mount = nfs(options, type);
    expect(mount && cautionAbout(mount)).toBeUndefined();
  });
});

describe("checkSubstrate", () => {
  test.each([tmpdir(), "/dev/shm"])("accepts %s, and leaves nothing", async (parent) => {
    const directory = await mkdtemp(`${parent}/kaas-substrate-`);
    try {
      await checkSubstrate(directory, new TestRandom());
      expect(await readdir(directory)).toEqual([]);
    } finally {
      await rm(directory, { recursive: true });
    }
  });

  test("says why it cannot tell", async () => {
    await expect(checkSubstrate("/no/such/directory", new TestRandom())).rejects.toMatchObject({
      code: "KAAS_STORAGE_FAILED",
      message: expect.stringContaining("/no/such/directory"),
    });
  });
});
