# Fills the tables of the scaffolds from `users.json`, which stands in the folder that the environment variable REPOSE_SEED names.
rows = JSON.parse(File.read(File.join(ENV.fetch('REPOSE_SEED'), 'users.json')))
now = Time.now.utc
[User, Member].each { |model| model.insert_all(rows.map { |row| row.merge(created_at: now, updated_at: now) }) }
