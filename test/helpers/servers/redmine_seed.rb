# Fills a fresh Redmine: the REST API on, an API key for the user `admin`, and a project with issues from `issues.json`, which stands in
# the folder that the environment variable REPOSE_SEED names.
Setting.rest_api_enabled = '1'
Setting.notified_events = []
admin = User.find_by_login('admin')
admin.update_column(:must_change_passwd, false)
Token.create!(user: admin, action: 'api').update_column(:value, ENV.fetch('REPOSE_KEY'))
User.current = admin

project = Project.create!(name: 'Alpha', identifier: 'alpha', tracker_ids: Tracker.pluck(:id))
priority = IssuePriority.find_by!(name: 'Normal')
Issue.transaction do
  JSON.parse(File.read(File.join(ENV.fetch('REPOSE_SEED'), 'issues.json'))).each do |row|
    issue = Issue.new(project: project, author: admin, priority: priority, start_date: nil)
    issue.tracker_id = row['tracker']
    issue.attributes = row.slice('subject', 'description', 'estimated_hours', 'done_ratio')
    issue.notify = false
    issue.save!
  end
end
