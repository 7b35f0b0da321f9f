# SPDX-License-Identifier: Apache-2.0
"""What people install: the release, what `make install` lays out, the root of the container, the Debian package. All of it is built
from what is committed, without a network."""
import gzip
import json
import os
import pty
import re
import select
import shlex
import shutil
import subprocess
import sys
import tarfile
import tempfile
import time

from links import broken_links
from tap import ROOT, TARE, check, end, equal, skip

ENV = {k: v for k, v in os.environ.items() if k not in ("DESTDIR", "PREFIX", "MAKEFLAGS", "MAKELEVEL", "TARE_MAPS")}
ENV.update(LC_ALL="C.UTF-8", PYTHONDONTWRITEBYTECODE="1")
NEWEST_GLIBC = (2, 36)


def run(*args, cwd=ROOT, env=None, status=0, binary=False):
    """What it printed, both streams; None if it did not end as it should."""
    done = subprocess.run(args, cwd=cwd, env={**ENV, **(env or {})}, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, check=False)
    out = done.stdout if binary else done.stdout.decode(errors="replace")
    if done.returncode != status:
        print("# %s: status %d\n# %s" % (shlex.join(args), done.returncode, str(out)[-3000:].replace("\n", "\n# ")))
        return None
    return out


def works(*args):
    return bool(shutil.which(args[0])) and subprocess.run(args, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                                                          stderr=subprocess.DEVNULL, check=False).returncode == 0


def lines(path):
    with open(os.path.join(ROOT, path), encoding="utf-8") as f:
        return f.read().split("\n")


def files(folder):
    return sorted(os.path.relpath(os.path.join(d, f), folder) for d, _, found in os.walk(folder) for f in found)


def one_version_one_list():
    version = run("tools/version").strip()
    equal("the program has the version of the release", run(TARE, "version").split()[1], version)
    equal("so has the Debian package", re.match(r"tare \((.*)-\d+\)", lines("deploy/debian/changelog")[0]).group(1), version)
    needed = {p for p in lines("tools/packages") if p and p[0] != "#"} - {"gcc", "libc6-dev"} | {"libcmocka-dev"}
    control = "\n".join(lines("deploy/debian/control"))
    wanted = re.search(r"^Build-Depends:(.*?)^\S", control, re.M | re.S).group(1)
    equal("the Debian package needs what tools/packages lists",
          {w.split()[0] for w in wanted.split(",")} - {"debhelper-compat"}, needed)


def release(d):
    """The release, unpacked; None if there is no history to make it from."""
    if not works("git", "-C", ROOT, "log", "-1"):
        skip("a release", "no git, or no history")
        return None
    if run("tools/dist", d + "/one") is None or run("tools/dist", d + "/two", env={"TZ": "Asia/Tokyo"}) is None:
        check(False, "a release can be made")
        return None
    name = "tare-" + run("tools/version").strip()
    path = "%s/one/%s.tar.gz" % (d, name)
    with open(path, "rb") as one, open(path.replace("/one/", "/two/"), "rb") as two:
        check(one.read() == two.read(), "a release twice is the same bytes")
    check(run("sha256sum", "-c", name + ".tar.gz.sha256", cwd=d + "/one"), "its sum is beside it")
    with tarfile.open(path) as tar:
        entries = tar.getmembers()
        check({(e.uid, e.gid, e.uname, e.gname) for e in entries} == {(0, 0, "root", "root")}, "all of it is one owner's")
        equal("all of it has the time of the commit", {e.mtime for e in entries}, {int(run("git", "log", "-1", "--format=%ct"))})
        found = [e.name for e in entries if not e.isdir()]
        equal("it is what is committed, in order", found,
              [name + "/" + p for p in run("git", "ls-tree", "-r", "--name-only", "HEAD").split("\n") if p])
        check(not [e for e in found if re.search(r"(^|/)(node_modules|build[^/]*|\.git)/|\.pyc$", e)], "nothing built is in it")
        tar.extractall(d)
    equal("an unpacked release gives a release of the same files",
          run("tools/dist", d + "/three", cwd=d + "/" + name) is not None and
          sorted(n.rstrip("/") for n in run("tar", "-tzf", "%s/three/%s.tar.gz" % (d, name)).split() if not n.endswith("/")),
          sorted(found))
    return d + "/" + name


def offline():
    """How a command is cut off from the network."""
    for words in (["unshare", "-n"], ["unshare", "-r", "-n"]):
        if works(*words, "true"):
            return words
    return None


def installs(tree, d):
    """`make install` of the release, cut off from the network; what it laid out."""
    cut = offline()
    if cut is None:
        skip("the release builds without a network", "unshare may not make one")
    out = run(*(cut or []), "make", "install", "DESTDIR=" + d + "/dest", "PREFIX=/usr", cwd=tree)
    check(out is not None, "the release builds and installs without a network")
    return d + "/dest/usr" if out is not None else None


def command_names():
    return re.findall(r"^  ([a-z]+) ", run(TARE, "help"), re.M)


def pages(usr):
    found = ["tare"] + ["tare-" + n for n in command_names()]
    missing = [p for p in found if not os.path.exists("%s/share/man/man1/%s.1" % (usr, p))]
    check(len(found) > 5 and not missing, "every command has a manual page", missing)
    if not works("man", "--version"):
        return skip("manual pages render without a warning", "no man")
    bad, texts = [], {}
    for entry in sorted(os.listdir(usr + "/share/man/man1")):
        path = usr + "/share/man/man1/" + entry
        done = subprocess.run(["man", "--warnings", "-E", "UTF-8", "-l", "-Tutf8", path], capture_output=True, check=False,
                              stdin=subprocess.DEVNULL, env={**ENV, "MANWIDTH": "80", "MANROFFSEQ": "", "GROFF_NO_SGR": "1"})
        texts[entry] = re.sub(".\b", "", done.stdout.decode())
        if done.returncode or done.stderr:
            bad.append((entry, done.stderr.decode()[:300]))
    check(not bad, "manual pages render without a warning", bad)
    heads = ["NAME", "SYNOPSIS", "DESCRIPTION", "OPTIONS", "EXAMPLES", "SEE ALSO"]
    equal("a page has its parts", [h for h in heads if re.search("^%s$" % h, texts["tare-report.1"], re.M)], heads)
    options = re.findall(r"^ +(?:-\w, )?(--[\w-]+)", run(TARE, "help", "report"), re.M)
    check(len(options) > 10 and all(o in texts["tare-report.1"].replace("‐", "-") for o in options), "and every option", options)
    if works("lexgrog", "--version"):
        said = [run("lexgrog", "%s/share/man/man1/%s.1" % (usr, p)) for p in found]
        check(all(s and '"%s - ' % p in s for s, p in zip(said, found)), "apropos finds them", said)


def bash_words(script, *words):
    line = 'source "$1"; shift; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _tare; printf "%s\\n" "${COMPREPLY[@]}"'
    return (run("bash", "--norc", "-c", line, "bash", script, *words) or "").split()


def typed(fpath, line, wanted):
    """What zsh makes of LINE and a tab, on a terminal."""
    child, master = pty.fork()
    if child == 0:
        os.execvpe("zsh", ["zsh", "-f", "-i"], {**ENV, "TERM": "dumb", "PS1": "", "ZDOTDIR": fpath})
    seen, until = b"", time.time() + 30
    start = "fpath=(%s $fpath); autoload -Uz compinit; compinit -u -D; bindkey '^I' complete-word; echo rea''dy\n" % fpath
    os.write(master, start.encode())
    sent = False
    while time.time() < until and wanted.encode() not in seen.rpartition(b"ready\r\n")[2]:
        if not sent and b"ready\r\n" in seen:
            os.write(master, (line + "\t").encode())
            sent = True
        if select.select([master], [], [], 0.2)[0]:
            try:
                seen += os.read(master, 65536)
            except OSError:
                break
    os.close(master)
    os.waitpid(child, 0)
    return wanted.encode() in seen.rpartition(b"ready\r\n")[2], seen[-500:]


def completion(usr):
    names = command_names()
    script = usr + "/share/bash-completion/completions/tare"
    equal("bash: the commands", sorted(bash_words(script, "tare", "")), sorted(names + ["--help", "--version"]))
    equal("bash: an option", bash_words(script, "tare", "report", "--ke"), ["--kept"])
    equal("bash: its values", bash_words(script, "tare", "report", "--kept", ""), ["restored", "saved"])
    equal("bash: formats", "json" in bash_words(script, "tare", "report", "-f", ""), True)
    fish = usr + "/share/fish/vendor_completions.d/tare.fish"
    if works("fish", "--version"):
        def words(line):
            out = run("fish", "--no-config", "-c", "source '%s'; complete -C '%s'" % (fish, line), env={"HOME": usr}) or ""
            return [entry.split("\t")[0] for entry in out.split("\n") if entry]
        equal("fish: the commands", words("tare "), sorted(names))
        equal("fish: an option", words("tare report --ke"), ["--kept"])
        equal("fish: its values", words("tare report --kept "), ["restored", "saved"])
    else:
        skip("completion for fish", "no fish")
    if works("zsh", "--version"):
        folder = usr + "/share/zsh/site-functions"
        for line, wanted in (("tare repo", "tare report "), ("tare report --ke", "--kept="), ("tare report --kept=sa", "saved"),
                             ("tare help rep", "help report"), ("tare jobs -f js", "json")):
            ok, seen = typed(folder, line, wanted)
            check(ok, "zsh: %s" % line, seen)
    else:
        skip("completion for zsh", "no zsh")


def laid_out(usr, d):
    have = files(usr)
    want = ["bin/tare", "share/doc/tare/LICENSE", "share/doc/tare/README.md", "share/doc/tare/docs/reference/README.md",
            "share/doc/tare/examples/cluster-month/sacct.txt", "share/tare/maps/openb-nodes.yaml"]
    equal("program, licence, documents, examples and maps are installed", [w for w in want if w in have], want)
    modes = {oct(os.stat(os.path.join(usr, p)).st_mode & 0o777) for p in have if not p.startswith("bin/")}
    equal("everybody can read them, and nobody can run them", modes, {"0o644"})
    with open(usr + "/bin/tare", "rb") as f:
        check(ROOT.encode() not in f.read(), "the program does not know where it was built")
    bad, links = broken_links(usr + "/share/doc/tare")
    check(links > 20 and not bad, "every link in the installed documents leads somewhere", links, bad)
    out = run(usr + "/bin/tare", "report", usr + "/share/doc/tare/examples/cluster-month", "--strict", "--format", "json", cwd=d)
    check(out and json.loads(out)["paid"]["gpu_seconds"] > 0, "the installed program reads the installed example")
    nodes = d + "/nodes.csv"
    with open(nodes, "w", encoding="utf-8") as f:
        f.write("sn,cpu_milli,memory_mib,gpu,model\nn1,96000,786432,8,H100\n")
    out = run(usr + "/bin/tare", "report", nodes, cwd=d)
    check(out and "(csv_map)" in out, "it finds its maps beside itself", out)


def uninstalls(tree, d):
    check(run("make", "uninstall", "DESTDIR=" + d + "/dest", cwd=tree, env={"DESTDIR": d + "/dest"}) is not None and
          not files(d + "/dest"), "make uninstall takes all of it away", files(d + "/dest")[:10])


def instructions():
    """[(word, rest)] of the Containerfile."""
    found = [line.partition(" ")[::2] for line in lines("deploy/Containerfile") if line and line[0] != "#"]
    return [(word, rest.strip()) for word, rest in found]


def newest_glibc(path):
    return max(tuple(int(n) for n in v.split(".")) for v in re.findall(r"GLIBC_([\d.]+)", run("objdump", "-T", path)))


def container(tree, d):
    """The same commands as in the Containerfile, in the tree that it copies."""
    root, todo = d + "/rootfs", instructions()
    stages = [i for i, (word, _) in enumerate(todo) if word == "FROM"]
    equal("two stages, and the second one starts empty", [todo[i][1] for i in stages], ["${DEBIAN} AS build", "scratch"])
    for word, rest in todo[:stages[1]]:
        if word == "COPY":
            missing = [s for s in rest.split()[:-1] if not os.path.exists(os.path.join(tree, s))]
            check(not missing, "what is copied is there: %s" % rest, missing)
        elif word == "RUN":
            command = re.sub(r"(?<= )/rootfs$", root, rest)
            out = run(*(offline() or []), "bash", "-c", command, cwd=tree)
            check(out is not None, "RUN %s" % rest)
    last = dict(todo[stages[1]:])
    equal("all of the root is copied", last["COPY"], "--from=build /rootfs/ /")
    uid, gid = (int(n) for n in last["USER"].split(":"))
    check(uid > 0 and gid > 0, "it runs as nobody in particular")
    program = root + "/usr/bin/tare"
    if not os.path.exists(program):
        return
    able = [p for p in files(root) if os.access(os.path.join(root, p), os.X_OK) and not re.search(r"\.so\.\d", p)]
    equal("there is one program in it, and no shell", able, ["usr/bin/tare"])
    size = sum(os.lstat(os.path.join(root, p)).st_size for p in files(root))
    check(size < 16 << 20, "it is small: %d KiB" % (size >> 10))
    if works("objdump", "--version"):
        needed = set(re.findall(r"NEEDED +(\S+)", run("objdump", "-p", program)))
        check(needed <= {"libc.so.6", "libm.so.6", "ld-linux-x86-64.so.2", "ld-linux-aarch64.so.1"}, "it needs glibc alone", needed)
        check(newest_glibc(program) <= NEWEST_GLIBC, "a glibc of %d.%d is new enough" % NEWEST_GLIBC, newest_glibc(program))
    else:
        skip("it needs glibc alone", "no objdump")
    if os.geteuid() != 0 or not works("chroot", "/", "true"):
        return skip("it runs in its root", "not root")
    shutil.copytree(ROOT + "/examples/cluster-month", root + "/data/month")
    inside = ["chroot", "--userspec=%d:%d" % (uid, gid), root] + json.loads(last["ENTRYPOINT"])
    check("usage: tare" in (run(*inside, *json.loads(last["CMD"])) or ""), "it runs in its root, as that user")
    out = run(*inside, "report", last["WORKDIR"] + "/month", "--tz", "Europe/Berlin", "--by", "day", "--strict")
    check(out and "CET" in out or "Europe/Berlin" in (out or ""), "and reads what is mounted, in any zone", out)


def package(d):
    missing = [tool for tool in ("dpkg-buildpackage", "dh", "lintian") if not shutil.which(tool)]
    if missing or not works("git", "-C", ROOT, "log", "-1"):
        return skip("the Debian package", "no %s" % ", ".join(missing or ["git"]))
    out = run("tools/deb", d + "/deb", env={"DEB_BUILD_OPTIONS": "nocheck"})
    check(out is not None, "the Debian package builds, and lintian finds nothing")
    made = [p for p in files(d + "/deb") if re.fullmatch(r"tare_.*\.deb", p)] if out else []
    check(len(made) == 1, "there is one package", made)
    if len(made) != 1:
        return
    run("dpkg-deb", "-x", d + "/deb/" + made[0], d + "/unpacked")
    usr = d + "/unpacked/usr"
    with gzip.open(usr + "/share/man/man1/tare-report.1.gz") as f:
        check(b"tare\\-report" in f.read(), "it holds the manual pages")
    for path in ("bash-completion/completions/tare", "fish/vendor_completions.d/tare.fish", "zsh/vendor-completions/_tare",
                 "doc/tare/copyright", "doc/tare/changelog.gz", "tare/maps/openb-nodes.yaml"):
        check(os.path.exists(usr + "/share/" + path), "it holds %s" % path)
    command = [line for line in lines("deploy/debian/tests/control") if line.startswith("Test-Command: ")][0].partition(" ")[2]
    words = shlex.split(command.replace("/usr/share", usr + "/share"))
    check("GPU-hours paid for" in (run(usr + "/bin/tare", *words[1:]) or ""), "its own test passes: %s" % command)


def main():
    with open(TARE, "rb") as f:
        if re.search(rb"__[at]san_init", f.read()):
            skip("packaging", "said once, by the build without sanitizers")
            return end()
    d = tempfile.mkdtemp(prefix="tare-package-")
    try:
        one_version_one_list()
        tree = release(d)
        usr = tree and installs(tree, d)
        if usr:
            laid_out(usr, d)
            pages(usr)
            completion(usr)
            uninstalls(tree, d)
        if tree:
            container(tree, d)
        package(d)
    finally:
        shutil.rmtree(d)
    return end()


sys.exit(main())
